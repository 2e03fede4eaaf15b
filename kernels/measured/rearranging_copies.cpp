// tocuda, Apache-2.0.
// The strided and the transposed copy. `bytes` is the size of the target.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/array_bench.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/strided_copy.hpp"
#include "measurement/check.hpp"

namespace tocuda::measured::rearranging_copies {
namespace {

std::uint32_t* words(std::byte* memory) { return reinterpret_cast<std::uint32_t*>(memory); }
std::size_t count_of(const Parameters& set) { return bytes_of(set) / sizeof(std::uint32_t); }
std::size_t stride_of(const Parameters& set) { return static_cast<std::size_t>(whole(set, "stride")); }

const OverArrays strided{
    .sizes = [](const Parameters& set, const GpuFacts&) -> ArraySizes {
        const auto bytes = count_of(set) * sizeof(std::uint32_t);
        return {.bytes = {bytes, strided_extent(count_of(set), stride_of(set)) * sizeof(std::uint32_t)},
                .one_way = bytes,
                .touched = 2 * bytes};
    },
    .fill =
        [](const Stream& stream, const Arrays& arrays, const Parameters& set) {
            write_payload(stream, {arrays[1], strided_extent(count_of(set), stride_of(set)) * sizeof(std::uint32_t)});
        },
    .operation =
        [](const Parameters& set, const GpuFacts&) {
            return [count = count_of(set), stride = stride_of(set)](const Stream& stream, const Arrays& arrays) {
                launch_strided_copy(stream, words(arrays[0]), words(arrays[1]), count, stride);
            };
        },
    .expected =
        [](const Stream& stream, std::byte* to, const Parameters& set) {
            launch_expected_strided(stream, words(to), count_of(set), stride_of(set));
        },
    .why_skipped =
        [](const Parameters& set, const GpuFacts&) {
            if (bytes_of(set) > std::size_t{1} << 48) return std::string("bytes must be at most 2^48");
            return why_not_between(set, "stride", 1, 4096);
        }};

std::size_t turned_bytes(const Parameters& set) {
    const auto shape = matrix_of(count_of(set));
    return shape.rows * shape.columns * sizeof(std::uint32_t);
}

const OverArrays transposed{
    .sizes = [](const Parameters& set, const GpuFacts&) -> ArraySizes {
        const auto bytes = turned_bytes(set);
        return {.bytes = {bytes, bytes}, .one_way = bytes, .touched = 2 * bytes};
    },
    .fill = [](const Stream& stream, const Arrays& arrays,
               const Parameters& set) { write_payload(stream, {arrays[1], turned_bytes(set)}); },
    .operation =
        [](const Parameters& set, const GpuFacts&) {
            return [shape = matrix_of(count_of(set))](const Stream& stream, const Arrays& arrays) {
                launch_transposed_copy(stream, words(arrays[0]), words(arrays[1]), shape);
            };
        },
    .expected = [](const Stream& stream, std::byte* to,
                   const Parameters& set) { launch_expected_transposed(stream, words(to), matrix_of(count_of(set))); }};

// The source needs `stride` times the memory, so the default target is only 64 MiB.
const RegisteredBenchmark registered_strided{{
    .benchmark = {.name = "copy/device_to_device/strided",
                  .summary = "gather four-byte elements that are `stride` elements apart within the memory of one GPU",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {}}, {"stride", {2, 8}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", {std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30}},
                           {"stride", {1, 2, 4, 8, 16, 32}}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return array_bench(sets, strided); },
}};

const RegisteredBenchmark registered_transposed{{
    .benchmark = {.name = "copy/device_to_device/transposed",
                  .summary = "transpose a matrix of four-byte elements within the memory of one GPU",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", full_bytes()}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return array_bench(sets, transposed); },
}};

}  // namespace
}  // namespace tocuda::measured::rearranging_copies
