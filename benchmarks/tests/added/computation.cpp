// tocuda, Apache-2.0.
// A computation that is added by this file alone: see added_test.py.
#include "kernels/doubles.hpp"

namespace tocuda::added::computation {
namespace {

struct Expected {
    constexpr double operator()(std::size_t i) const { return payload_number(place_of_c + i, bits_for_one_sum) / 2; }
};

struct Half {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    static constexpr Grid grid(std::size_t count) {
        return grid_over(count, threads, threads, 2 * count * sizeof(double));
    }

    template <class Block>
    constexpr void operator()(Block& block, double* to, const double* from, std::size_t count) const {
        const auto step = std::size_t{block.blocks} * threads;
        for (auto i = std::size_t{block.block} * threads + block.thread; i < count; i += step) to[i] = from[i] / 2;
    }
};

const RegisteredKernel registered{
    {.name = "added/computation",
     .summary = "b = c / 2 with doubles",
     .role = {.sheet = {{.order = 11, .section = "added", .words = "halves of 64 KiB", .having = "bytes=65536"},
                        {.order = 12, .section = "added", .words = "halves of 128 KiB", .having = "bytes=131072"},
                        {.order = 13,
                         .section = "added",
                         .words = "the time of halves of 256 KiB",
                         .having = "bytes=262144",
                         .time = true}},
              .characterise = {"bytes=64KiB"}},
     .parameters = {{"bytes", {65536, 131072, 262144}}},
     .quick = {},
     .allowed = {{"bytes", {.least = sizeof(double)}}},
     .arrays = arrays_of_doubles<2>,
     .operation = [](const Setting& setting) -> Operation {
         return [count = setting.count<double>()](const Stream& stream, const Arrays& arrays) {
             launch(stream, Half::grid(count), Half{}, doubles(arrays[0]),
                    static_cast<const double*>(doubles(arrays[1])), count);
         };
     },
     .fill = fill_with_numbers<bits_for_one_sum>,
     .expected = [](const Stream& stream, std::byte* to,
                    const Setting& setting) { write_each<double>(stream, to, setting.count<double>(), Expected{}); }}};

}  // namespace
}  // namespace tocuda::added::computation
