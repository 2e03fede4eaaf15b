// tocuda, Apache-2.0.
// Loads of neighbouring threads at a distance from each other, all of which the L1 cache of one multiprocessor answers:
// what its banks and sectors make of it.
#include <numeric>
#include <span>
#include <vector>

#include "kernels/launching.hpp"
#include "kernels/ordered_access.hpp"

namespace tocuda::kernels::strided_loads {
namespace {

constexpr unsigned threads = 1024;
constexpr unsigned warp = 32;
constexpr unsigned lines = 8;  // that follow each other, loaded by each thread before it adds anything up
constexpr std::size_t line = 128;
constexpr std::size_t most_set = std::size_t{32} << 10;  // the L1 cache of every GPU holds it

constexpr std::uint32_t sum_of(std::uint32_t word) { return word; }
constexpr std::uint32_t sum_of(std::uint64_t words) {
    return static_cast<std::uint32_t>(words) + static_cast<std::uint32_t>(words >> 32);
}
constexpr std::uint32_t sum_of(const Vector16& vector) {
    return vector.words[0] + vector.words[1] + vector.words[2] + vector.words[3];
}

// The place, in elements, of a lane's load from the line of this number.
template <class Element>
constexpr std::size_t place_of(unsigned lane, unsigned number, unsigned stride) {
    return std::size_t{lane} * stride + number * (line / sizeof(Element));
}

std::size_t set_bytes(std::size_t width, unsigned stride) { return (warp - 1) * stride * width + lines * line; }

// All warps load the same, so that after the first pass nothing comes from anywhere else.
template <class Element>
struct StridedLoads {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* sums, const Element* from, unsigned stride,
                              unsigned passes) const {
        const auto* const mine = from + place_of<Element>(block.thread % warp, 0, stride);
        std::uint32_t sum = 0;
        for (; passes > 0; --passes) {
            Element held[lines];
            for (unsigned i = 0; i < lines; ++i) held[i] = ordered_load(mine + i * (line / sizeof(Element)));
            for (unsigned i = 0; i < lines; ++i) sum += sum_of(held[i]);
        }
        sums[block.thread] = sum;
    }

    static constexpr Touched touched(std::uint32_t*, const Element* from, unsigned, unsigned passes) {
        return {.read = from, .bytes_read = std::size_t{passes} * threads * lines * sizeof(Element)};
    }
    static constexpr std::size_t working_set(std::uint32_t*, const Element*, unsigned, unsigned) { return most_set; }
};

std::size_t width_of(const Setting& setting) { return setting.number("width"); }

// An odd number, so that no bit of a sum of words is lost by overflow; none if the bytes are too few for one.
unsigned passes_of(const Setting& setting) {
    const auto passes = static_cast<unsigned>(setting.bytes() / (threads * lines * width_of(setting)));
    return passes == 0 ? 0 : passes - 1 + passes % 2;
}

std::size_t loaded(const Setting& setting) {
    return std::size_t{passes_of(setting)} * threads * lines * width_of(setting);
}

std::string why_skipped(const Setting& setting) {
    const auto most = static_cast<std::int64_t>((most_set - lines * line) / ((warp - 1) * width_of(setting)));
    if (auto why = why_not_between(setting.set, "stride", 1, most); !why.empty())
        return why + " for width=" + std::to_string(width_of(setting)) + ": L1 must hold all of it";
    return "";
}

template <class Element>
Operation loading(const Setting& setting) {
    const Grid grid{.threads = threads, .bytes_touched = loaded(setting)};
    return [grid, stride = setting.number("stride"), passes = passes_of(setting)](const Stream& stream,
                                                                                  const Arrays& arrays) {
        launch(stream, grid, StridedLoads<Element>{}, reinterpret_cast<std::uint32_t*>(arrays[0]),
               reinterpret_cast<const Element*>(arrays[1]), stride, passes);
    };
}

Operation operation(const Setting& setting) {
    if (width_of(setting) == 4) return loading<std::uint32_t>(setting);
    if (width_of(setting) == 8) return loading<std::uint64_t>(setting);
    return loading<Vector16>(setting);
}

// What the threads of a warp load in a pass.
std::uint32_t expected_of_warp(const Setting& setting) {
    const auto words = width_of(setting) / sizeof(std::uint32_t);
    std::uint32_t sum = 0;
    for (unsigned lane = 0; lane < warp; ++lane)
        for (unsigned number = 0; number < lines; ++number)
            for (std::size_t word = 0; word < words; ++word)
                sum += payload_word(lane * setting.number("stride") * words + number * (line / 4) + word);
    return sum;
}

WhatIsWrong wrong(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) -> std::string {
        std::vector<std::uint32_t> sums(threads);
        download(std::as_writable_bytes(std::span(sums)), arrays[0], stream);
        const auto expected = passes_of(setting) * expected_of_warp(setting);
        for (unsigned first = 0; first < threads; first += warp) {
            const auto found = std::accumulate(sums.begin() + first, sums.begin() + first + warp, std::uint32_t{0});
            if (found != expected)
                return "the sum of the words read by a warp is " + std::to_string(found) + ", not " +
                       std::to_string(expected);
        }
        return "";
    };
}

const Values strides{1, 2, 3, 4, 6, 8, 12, 16, 17, 24, 32, 33, 64, 128};

const RegisteredKernel registered{
    {.name = "curve/strided",
     .summary =
         "loads of `width` bytes from the L1 cache of one multiprocessor, by neighbouring threads whose loads are "
         "`stride` of them apart",
     .role = {.pictures = {"bandwidth-by-stride"}},
     .parameters = {{"bytes", {}}, {"stride", strides}, {"width", {8}}},
     .full = {{"bytes", {std::int64_t{64} << 20}}, {"stride", strides}, {"width", {4, 8, 16}}},
     .allowed = {{"bytes", {.least = threads * lines * 4, .most = std::int64_t{1} << 36}},
                 {"stride", {.least = 1}},
                 {"width", {.only = {4, 8, 16}}}},
     .why_skipped = why_skipped,
     .arrays = [](const Setting& setting) -> ArraySizes {
         return {.bytes = {threads * sizeof(std::uint32_t), set_bytes(width_of(setting), setting.number("stride"))},
                 .one_way = loaded(setting),
                 .touched = loaded(setting)};
     },
     .operation = operation,
     .wrong = wrong,
     .compared = "the sum of the words that each warp read",
     .simulated = "the time does not depend on the stride"}};

}  // namespace
}  // namespace tocuda::kernels::strided_loads
