// tocuda, Apache-2.0.
// Copies 16 or 32 bytes at a time with one or many loads per thread in flight and a cache hint.
#include "kernels/launching.hpp"

namespace tocuda::kernels::unrolled_copy {
namespace {

struct Shape {
    unsigned in_flight = 1;  // loads per thread before its first store
    unsigned threads = 256;  // per block
    Hint hint = Hint::plain;
    unsigned width = 16;  // of a load, in bytes

    bool operator==(const Shape&) const = default;
};

// The compiled shapes, which are the allowed parameter values.
constexpr std::array loads{1U, 2U, 4U, 8U, 12U, 16U};
constexpr std::array block_threads{128U, 256U, 512U};
constexpr std::array hints{Hint::plain, Hint::streaming_store, Hint::streaming};
constexpr unsigned most_in_flight(unsigned width) { return 256 / width; }
constexpr auto shapes = [] {
    std::array<Shape, (2 * loads.size() - 2) * block_threads.size() * hints.size()> all{};
    std::size_t count = 0;
    for (const auto width : loaded_widths)
        for (const auto in_flight : loads)
            for (const auto threads : block_threads)
                for (const auto hint : hints)
                    if (in_flight <= most_in_flight(width)) all[count++] = {in_flight, threads, hint, width};
    return all;
}();

// With 256 bytes in flight a thread needs 64 registers for them: two or three blocks of 256 such threads fit on a
// multiprocessor, or one of 512.
template <unsigned loads_in_flight, class Vector, Hint hint, unsigned threads_each>
struct UnrolledCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = threads_each;
    static constexpr unsigned in_flight = loads_in_flight;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * in_flight * sizeof(Vector), threads, 2 * bytes);
    }
    static constexpr Touched touched(const std::byte* to, const std::byte* from, std::size_t bytes) {
        return touched_by_copy(to, from, bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector, in_flight, hint>(block, threads, to, from, bytes);
    }
};

Operation operation(const Setting& setting) {
    const Shape shape{setting.number("in_flight"), setting.number("threads"), hint_of(setting.word("hint")),
                      setting.number("width")};
    return compiled_for<shapes>(shape, [bytes = setting.bytes()]<std::size_t index>() {
        constexpr auto one = shapes[index];
        return copying(UnrolledCopy<one.in_flight, VectorOf<one.width>, one.hint, one.threads>{}, bytes);
    });
}

std::string why_skipped(const Setting& setting) {
    if (auto why = why_not_wide(setting); !why.empty()) return why;
    return setting.number("width") == 32 ? why_not_among("in_flight", setting.set.at("in_flight"), {1, 2, 4, 8}) : "";
}

const RegisteredKernel registered{
    {.name = "copy/device_to_device/unrolled",
     .summary = "copy within the memory of one GPU by a kernel with one or many loads in flight",
     .group = {"other ways", Group::other_ways},
     .parameters = {{"in_flight", {12}}, {"threads", {256}}, {"hint", {"streaming"}}, {"width", {16}}},
     .full = {{"in_flight", values_of(loads)},
              {"threads", values_of(block_threads)},
              {"hint", {"plain", "streaming_store", "streaming"}},
              {"width", values_of(loaded_widths)}},
     .allowed = {{"in_flight", {.only = values_of(loads)}},
                 {"threads", {.only = values_of(block_threads)}},
                 {"width", {.only = values_of(loaded_widths)}}},
     .tuning = "copy_by_unrolled",
     .why_skipped = why_skipped,
     .operation = operation}};

}  // namespace
}  // namespace tocuda::kernels::unrolled_copy
