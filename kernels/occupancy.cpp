// tocuda, Apache-2.0.
// Simple kernels, of which each thread has the loads of a single number in flight, by how many threads each
// multiprocessor runs at once: what the bandwidth owes to their number. Two of them are stencils.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/doubles.hpp"

namespace tocuda::kernels::occupancy {
namespace {

enum class Kind { write, scale, triad, stencil3, stencil5 };

// Of a stencil's numbers: 2 is the one in the middle, 1 and 3 are beside it.
constexpr double weight(std::size_t at) { return at == 0 ? 2 : at == 1 ? 1 : at == 2 ? 3 : at == 3 ? 5 : 4; }

template <Kind kind>
struct Occupying {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        const auto step = std::size_t{block.blocks} * block.threads;
        for (auto i = std::size_t{block.block} * block.threads + block.thread; i < count; i += step)
            a[i] = computed(b, c, i, count);
    }

private:
    // Beyond the ends of the array a stencil finds nothing.
    static constexpr double computed(const double* b, const double* c, std::size_t i, std::size_t count) {
        if constexpr (kind == Kind::write) return stream_scalar;
        else if constexpr (kind == Kind::scale) return stream_scalar * c[i];
        else if constexpr (kind == Kind::triad) return b[i] + stream_scalar * c[i];
        else {
            constexpr std::size_t reach = kind == Kind::stencil3 ? 1 : 2;
            double sum = 0;
            for (std::size_t at = 2 - reach; at <= 2 + reach; ++at)
                if (const auto place = i + at - 2; place < count) sum += weight(at) * c[place];
            return sum;
        }
    }
};

template <Kind kind>
struct Expected {
    std::size_t count;
    constexpr double operator()(std::size_t i) const {
        const auto c = [this](std::size_t at) {
            return at < count ? payload_number(place_of_c + at, bits_for_one_sum) : 0;
        };
        if constexpr (kind == Kind::write) return 3;
        else if constexpr (kind == Kind::scale) return 3 * c(i);
        else if constexpr (kind == Kind::triad) return payload_number(place_of_b + i, bits_for_one_sum) + 3 * c(i);
        else if constexpr (kind == Kind::stencil3) return c(i - 1) + 3 * c(i) + 5 * c(i + 1);
        else return 2 * c(i - 2) + c(i - 1) + 3 * c(i) + 5 * c(i + 1) + 4 * c(i + 2);
    }
};

// Each thread leaves the sum of what it read.
struct Reading {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, std::uint64_t* sums, const std::uint64_t* from, std::size_t count) const {
        const auto step = std::size_t{block.blocks} * block.threads;
        const auto first = std::size_t{block.block} * block.threads + block.thread;
        std::uint64_t sum = 0;
        for (auto i = first; i < count; i += step) sum += from[i];
        sums[first] = sum;
    }
};

template <class Make>
auto of_kind(const Setting& setting, const Make& make) {
    const auto& word = setting.word("kernel");
    if (word == "write") return make.template operator()<Kind::write>();
    if (word == "scale") return make.template operator()<Kind::scale>();
    if (word == "triad") return make.template operator()<Kind::triad>();
    if (word == "stencil3") return make.template operator()<Kind::stencil3>();
    return make.template operator()<Kind::stencil5>();
}

std::size_t arrays_of(const Setting& setting) {
    const auto& word = setting.word("kernel");
    return word == "write" ? 1 : word == "triad" ? 3 : 2;
}

Grid grid_of(const Setting& setting, std::size_t arrays) {
    const auto threads = setting.number("threads");
    const auto tiles = parts(setting.count<double>(), threads);
    const auto at_once = std::size_t{setting.gpu.multiprocessors} * setting.number("blocks_each");
    return {.blocks = blocks_for(std::min(tiles, at_once)),
            .threads = threads,
            .bytes_touched = arrays * setting.count<double>() * sizeof(double)};
}

std::string more_blocks_than(unsigned most, const Setting& setting) {
    return "blocks_each is " + std::to_string(setting.number("blocks_each")) +
           " but a multiprocessor of this GPU runs at most " + std::to_string(most) + " of these blocks at once";
}

template <class Body, class... Arguments>
std::string why_not(const Setting& setting) {
    const auto most = blocks_at_once<Body, Arguments...>(setting.number("threads"), 0);
    return setting.number("blocks_each") <= most ? "" : more_blocks_than(most, setting);
}

std::string why_skipped(const Setting& setting) {
    return of_kind(setting, [&]<Kind kind>() {
        return why_not<Occupying<kind>, double*, const double*, const double*, std::size_t>(setting);
    });
}

Operation operation(const Setting& setting) {
    return of_kind(setting, [&]<Kind kind>() -> Operation {
        return [grid = grid_of(setting, arrays_of(setting)), count = setting.count<double>()](const Stream& stream,
                                                                                              const Arrays& arrays) {
            launch(stream, grid, Occupying<kind>{}, doubles(arrays[0]),
                   static_cast<const double*>(doubles(arrays[arrays.size() / 2])),
                   static_cast<const double*>(doubles(arrays.back())), count);
        };
    });
}

Operation reading(const Setting& setting) {
    return [grid = grid_of(setting, 1), count = setting.count<double>()](const Stream& stream, const Arrays& arrays) {
        launch(stream, grid, Reading{}, reinterpret_cast<std::uint64_t*>(arrays[0]),
               reinterpret_cast<const std::uint64_t*>(arrays[1]), count);
    };
}

std::size_t sums_of(const Setting& setting) {
    const auto grid = grid_of(setting, 1);
    return std::size_t{grid.blocks} * grid.threads;
}

WhatIsWrong wrong_sum(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) -> std::string {
        std::vector<std::uint64_t> sums(sums_of(setting));
        download(std::as_writable_bytes(std::span(sums)), arrays[0], stream);
        const auto found = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < setting.count<std::uint64_t>(); ++i) expected += scrambled(i);
        return found == expected ? "" : "the sum is " + std::to_string(found) + ", not " + std::to_string(expected);
    };
}

const Values thread_counts{128, 1024};
const Values blocks{1, 2, 4, 8, 16};
constexpr auto simulated = "the time does not depend on the number of blocks and threads";
const std::map<std::string, Allowed> allowed{{"bytes", {.least = sizeof(double)}},
                                             {"blocks_each", allowed_blocks_each},
                                             {"threads", {.least = 32, .most = 1024, .multiple_of = 32}}};

const RegisteredKernel computing{
    {.name = "memory/occupancy",
     .summary =
         "write, scale, triad and stencils of 3 and 5 points with doubles, by the blocks of so many threads that "
         "each multiprocessor runs at once",
     .role = {.pictures = {"memory-by-threads"}},
     .parameters = {{"bytes", {}},
                    {"blocks_each", blocks},
                    {"kernel", {"write", "scale", "triad", "stencil3", "stencil5"}},
                    {"threads", {128}}},
     .full = {{"bytes", {std::int64_t{1} << 30}},
              {"blocks_each", blocks},
              {"kernel", {"write", "scale", "triad", "stencil3", "stencil5"}},
              {"threads", thread_counts}},
     .allowed = allowed,
     .why_skipped = why_skipped,
     .arrays = [](const Setting& setting) -> ArraySizes {
         const auto bytes = setting.count<double>() * sizeof(double);
         return {
             .bytes = std::vector(arrays_of(setting), bytes), .one_way = bytes, .touched = arrays_of(setting) * bytes};
     },
     .operation = operation,
     .fill = fill_with_numbers<bits_for_one_sum>,
     .expected =
         [](const Stream& stream, std::byte* to, const Setting& setting) {
             of_kind(setting, [&, count = setting.count<double>()]<Kind kind>() {
                 write_each<double>(stream, to, count, Expected<kind>{count});
             });
         },
     .simulated = simulated}};

const RegisteredKernel of_reading{
    {.name = "memory/occupancy_read",
     .summary = "read doubles, by the blocks of so many threads that each multiprocessor runs at once",
     .role = {.pictures = {"memory-by-threads"}},
     .parameters = {{"bytes", {}}, {"blocks_each", blocks}, {"threads", {128}}},
     .full = {{"bytes", {std::int64_t{1} << 30}}, {"blocks_each", blocks}, {"threads", thread_counts}},
     .allowed = allowed,
     .why_skipped = why_not<Reading, std::uint64_t*, const std::uint64_t*, std::size_t>,
     .arrays = [](const Setting& setting) -> ArraySizes {
         const auto bytes = setting.count<double>() * sizeof(double);
         return {.bytes = {sums_of(setting) * sizeof(std::uint64_t), bytes}, .one_way = bytes, .touched = bytes};
     },
     .operation = reading,
     .wrong = wrong_sum,
     .compared = "the sum of all words",
     .simulated = simulated}};

}  // namespace
}  // namespace tocuda::kernels::occupancy
