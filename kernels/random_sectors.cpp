// tocuda, Apache-2.0.
// Random sectors of 32 bytes, each of them once: they are read, or a number in each is read, changed and written back.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string>

#include "kernels/block_sum.hpp"
#include "kernels/launching.hpp"
#include "kernels/ordered_access.hpp"
#include "measurement/payload.hpp"

namespace tocuda::kernels::random_sectors {
namespace {

constexpr std::size_t sector_bytes = 32;  // the least that a GPU's caches fetch
constexpr unsigned threads = 256;
constexpr unsigned loads_of_a_thread = 8;
template <unsigned in_flight>
constexpr std::size_t tile_of = std::size_t{threads} * in_flight;  // the sectors that a block takes at once
constexpr unsigned numbers_of_a_sector = sector_bytes / sizeof(std::uint64_t);

// A power of two, so that the random order is cheap to compute. What is left of the bytes is not used.
std::size_t sectors_of(const Setting& setting) {
    constexpr std::size_t most = std::size_t{1} << 32;
    return std::min(std::bit_floor(setting.bytes() / sector_bytes), most);
}

// Each sector once, in an order without a pattern: multiplying by an odd number and mixing high bits into low ones are
// one to one. (Numbers drawn independently would hit some sectors twice and leave others out, so that nothing could be
// checked, and a cache could answer.)
class Order {
public:
    constexpr explicit Order(std::size_t sectors)
        : mask(static_cast<std::uint32_t>(sectors - 1)), shift(static_cast<unsigned>(std::bit_width(mask) + 1) / 2) {}

    constexpr std::uint32_t place(std::size_t number) const {
        auto place = static_cast<std::uint32_t>(number) * 0x9e3779b1U & mask;
        place ^= place >> shift;
        place = place * 0x85ebca6bU & mask;
        place ^= place >> shift;
        return place * 0xc2b2ae35U & mask;
    }

private:
    std::uint32_t mask;
    unsigned shift;
};

// A load of half a sector moves the whole one.
template <unsigned loads_in_flight>
struct ReadSectors {
    static constexpr bool has_barrier = true;
    static constexpr unsigned in_flight = loads_in_flight;

    static constexpr Grid grid(std::size_t sectors, unsigned multiprocessors) {
        return {.blocks = reduction_blocks(parts(sectors, tile_of<in_flight>), multiprocessors),
                .threads = threads,
                .shared_bytes = threads * sizeof(std::uint32_t),
                .bytes_touched = sectors * sector_bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* sums, const std::byte* from, std::size_t sectors,
                              Order order) const {
        constexpr auto tile = tile_of<in_flight>;
        const auto read = [&](std::size_t number) {
            return ordered_load(reinterpret_cast<const Vector16*>(from + order.place(number) * sector_bytes));
        };
        const auto added = [](const Vector16& half) {
            return half.words[0] + half.words[1] + half.words[2] + half.words[3];
        };
        std::uint32_t sum = 0;
        over_tiles(
            block, tile, sectors / tile * tile,
            [&](std::size_t first) {
                std::array<Vector16, in_flight> held;
                for (unsigned i = 0; i < in_flight; ++i) held[i] = read(first + i * threads);
                return held;
            },
            [&](std::size_t, const std::array<Vector16, in_flight>& held) {
                for (const auto& half : held) sum += added(half);
            });
        if (block.block == 0 && sectors < tile)  // otherwise, as powers of two, the tiles are all of them
            for (std::size_t number = block.thread; number < sectors; number += threads) sum += added(read(number));
        leave_of_block<threads>(block, sums, sum, std::plus<std::uint32_t>());
    }
};

constexpr unsigned long long addend = 0x9e3779b97f4a7c15;

// Loads, changes and stores the first number of each sector.
template <unsigned loads_in_flight>
struct UpdateSectors {
    static constexpr bool has_barrier = false;
    static constexpr unsigned in_flight = loads_in_flight;

    template <class Block>
    constexpr void operator()(Block& block, std::byte* target, std::size_t sectors, Order order) const {
        struct Held {
            std::uint64_t* places[in_flight];
            std::uint64_t numbers[in_flight];
        };
        constexpr auto tile = tile_of<in_flight>;
        const auto at = [&](std::size_t number) {
            return reinterpret_cast<std::uint64_t*>(target + order.place(number) * sector_bytes);
        };
        over_tiles(
            block, tile, sectors / tile * tile,
            [&](std::size_t first) {
                Held held{};
                for (unsigned i = 0; i < in_flight; ++i) held.places[i] = at(first + i * threads);
                for (unsigned i = 0; i < in_flight; ++i) held.numbers[i] = ordered_load(held.places[i]);
                return held;
            },
            [&](std::size_t, const Held& held) {
                for (unsigned i = 0; i < in_flight; ++i) *held.places[i] = held.numbers[i] + addend;
            });
        if (block.block == 0 && sectors < tile)
            for (std::size_t number = block.thread; number < sectors; number += threads) *at(number) += addend;
    }
};

// The same by an atomic operation of the L2 cache, so that nothing comes back.
struct AddToSectors {
    static constexpr bool has_barrier = false;
    static constexpr unsigned in_flight = loads_of_a_thread;

    template <class Block>
    constexpr void operator()(Block& block, std::byte* target, std::size_t sectors, Order order) const {
        constexpr auto tile = tile_of<in_flight>;
        for (auto start = block.block * tile; start < sectors; start += block.blocks * tile)
            for (unsigned i = 0; i < in_flight; ++i)
                if (const auto number = start + block.thread + i * threads; number < sectors)
                    block.reduce_add(reinterpret_cast<unsigned long long*>(target + order.place(number) * sector_bytes),
                                     addend);
    }
};

Grid grid_of_read(const Setting& setting) {
    return ReadSectors<loads_of_a_thread>::grid(sectors_of(setting), setting.gpu.multiprocessors);
}

Operation reading(const Setting& setting) {
    return [sectors = sectors_of(setting), grid = grid_of_read(setting)](const Stream& stream, const Arrays& arrays) {
        launch(stream, grid, ReadSectors<loads_of_a_thread>{}, reinterpret_cast<std::uint32_t*>(arrays[0]),
               static_cast<const std::byte*>(arrays[1]), sectors, Order(sectors));
    };
}

Operation updating(const Setting& setting) {
    return [sectors = sectors_of(setting), atomic = setting.word("by") == "atomic"](const Stream& stream,
                                                                                    const Arrays& arrays) {
        const auto grid = grid_over(sectors, tile_of<loads_of_a_thread>, threads, 2 * sectors * sector_bytes);
        if (atomic) launch(stream, grid, AddToSectors{}, arrays[0], sectors, Order(sectors));
        else launch(stream, grid, UpdateSectors<loads_of_a_thread>{}, arrays[0], sectors, Order(sectors));
    };
}

std::uint32_t sum_of_halves(std::size_t sectors) {
    return joined_on_host(sectors, std::plus<>(), [](std::size_t first, std::size_t some) {
        std::uint32_t sum = 0;
        for (auto sector = first; sector < first + some; ++sector)
            for (const auto of : {0U, 1U}) {
                const auto number = scrambled(sector * numbers_of_a_sector + of);
                sum += static_cast<std::uint32_t>(number) + static_cast<std::uint32_t>(number >> 32);
            }
        return sum;
    });
}

WhatIsWrong wrong_if_read(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) -> std::string {
        const auto found =
            sum_of_blocks<std::uint32_t>(stream, arrays[0], grid_of_read(setting).blocks, std::plus<std::uint32_t>());
        const auto expected = sum_of_halves(sectors_of(setting));
        if (found == expected) return "";
        return "the sum of what was read is " + std::to_string(found) + ", not " + std::to_string(expected);
    };
}

struct Payload {
    constexpr std::uint64_t operator()(std::size_t i) const { return scrambled(i); }
};
struct Updated {
    constexpr std::uint64_t operator()(std::size_t i) const {
        return scrambled(i) + (i % numbers_of_a_sector == 0 ? addend : 0);
    }
};

const Values sizes{std::int64_t{1} << 30, std::int64_t{4} << 30, std::int64_t{16} << 30};
const Allowed powers{.least = static_cast<std::int64_t>(sector_bytes)};
constexpr auto order_in_words =
    "each sector of 32 bytes once, in a random order, by threads with eight accesses in flight; of `bytes` the largest "
    "power of two is used. Sectors are counted: the rate is in 10^9 of them a second (Gop/s). `touched` counts 32 "
    "bytes "
    "for each access, even if the GPU fetches more, as many fetch 64 from their memory; so the share of the peak, "
    "which "
    "neighbouring accesses nearly reach, is what random ones lose to that, to the memory's rows, and in large sets to "
    "address translation. ";

const RegisteredKernel read{
    {.name = "memory/random_read",
     .summary = "random sectors of 32 bytes read in a second, each once",
     .how = std::string(order_in_words) + "Half of each sector is loaded; all of it moves",
     .parameters = {{"bytes", {}}},
     .full = {{"bytes", sizes}},
     .allowed = {{"bytes", powers}},
     .arrays = [](const Setting& setting) -> ArraySizes {
         const auto bytes = sectors_of(setting) * sector_bytes;
         return {.bytes = {grid_of_read(setting).blocks * sizeof(std::uint32_t), bytes},
                 .one_way = bytes,
                 .touched = bytes};
     },
     .operation = reading,
     .wrong = wrong_if_read,
     .compared = "the sum of the words read from all sectors, and 256 bytes before and after the sums",
     .operations = [](const Setting& setting) { return static_cast<std::int64_t>(sectors_of(setting)); },
     .simulated = "random sectors take as long as neighbouring ones"}};

const RegisteredKernel update{
    {.name = "memory/random_update",
     .summary = "random updates in a second (GUPS): a number in each sector of 32 bytes, once",
     .how = std::string(order_in_words) +
            "`by=loads`: 8 bytes are loaded, changed and stored, and the sector moves twice. `by=atomic`: an atomic "
            "addition without an answer (RED), which the L2 cache makes, so that nothing comes back to the "
            "multiprocessor",
     .parameters = {{"bytes", {}}, {"by", {"loads", "atomic"}}},
     .full = {{"bytes", sizes}, {"by", {"loads", "atomic"}}},
     .allowed = {{"bytes", powers}},
     .arrays = [](const Setting& setting) -> ArraySizes {
         const auto bytes = sectors_of(setting) * sector_bytes;
         return {.bytes = {bytes}, .one_way = bytes, .touched = 2 * bytes};
     },
     .operation = updating,
     .fill =
         [](const Stream& stream, const Arrays& arrays, const Setting& setting) {
             write_each<std::uint64_t>(stream, arrays[0], sectors_of(setting) * numbers_of_a_sector, Payload{});
         },
     .expected =
         [](const Stream& stream, std::byte* to, const Setting& setting) {
             write_each<std::uint64_t>(stream, to, sectors_of(setting) * numbers_of_a_sector, Updated{});
         },
     .operations = [](const Setting& setting) { return static_cast<std::int64_t>(sectors_of(setting)); },
     .simulated = "random sectors take as long as neighbouring ones"}};

}  // namespace
}  // namespace tocuda::kernels::random_sectors
