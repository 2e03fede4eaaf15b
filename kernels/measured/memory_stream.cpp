// tocuda, Apache-2.0.
// Scale and dot with doubles, like BabelStream. `bytes` is the size of one array.
#include <numeric>
#include <optional>

#include "kernels/launches.hpp"
#include "kernels/measured/array_bench.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/number_payload.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::measured::memory_stream {
namespace {

// The arrays contain different parts of the payload numbers.
constexpr std::size_t place_of_b = 0;
constexpr std::size_t place_of_c = std::size_t{1} << 40;

std::size_t count_of(const Parameters& set) { return bytes_of(set) / sizeof(double); }
double* doubles(std::byte* memory) { return reinterpret_cast<double*>(memory); }

ArraySizes arrays_of(const Parameters& set, std::size_t arrays) {
    const auto bytes = count_of(set) * sizeof(double);
    return {.bytes = std::vector(arrays, bytes), .one_way = bytes, .touched = arrays * bytes};
}

const OverArrays scale{.sizes = [](const Parameters& set, const GpuFacts&) { return arrays_of(set, 2); },
                       .fill =
                           [](const Stream& stream, const Arrays& arrays, const Parameters& set) {
                               launch_numbers(stream, doubles(arrays[1]), count_of(set), place_of_c, bits_for_one_sum);
                           },
                       .operation =
                           [](const Parameters& set, const GpuFacts&) {
                               return [count = count_of(set)](const Stream& stream, const Arrays& arrays) {
                                   launch_scale(stream, doubles(arrays[0]), doubles(arrays[1]), count);
                               };
                           },
                       .expected =
                           [](const Stream& stream, std::byte* to, const Parameters& set) {
                               launch_expected_scale(stream, doubles(to), count_of(set), place_of_c, bits_for_one_sum);
                           }};

double expected_dot(std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += payload_number(place_of_b + i, bits_for_sums_of_products) *
               payload_number(place_of_c + i, bits_for_sums_of_products);
    return sum;
}

std::function<std::string(const Stream&, const Arrays&)> wrong_sum(const Parameters& set, const GpuFacts& gpu) {
    return [count = count_of(set), multiprocessors = gpu.multiprocessors, expected = std::optional<double>()](
               const Stream& stream, const Arrays& arrays) mutable -> std::string {
        std::vector<double> sums(dot_blocks(count, multiprocessors));
        download(std::as_writable_bytes(std::span(sums)), arrays[0], stream);
        const auto sum = std::accumulate(sums.begin(), sums.end(), 0.0);
        if (!expected) expected = expected_dot(count);
        return sum == *expected ? "" : "the sum is " + std::to_string(sum) + ", not " + std::to_string(*expected);
    };
}

const OverArrays dot{
    .sizes = [](const Parameters& set, const GpuFacts& gpu) -> ArraySizes {
        const auto bytes = count_of(set) * sizeof(double);
        return {.bytes = {dot_blocks(count_of(set), gpu.multiprocessors) * sizeof(double), bytes, bytes},
                .one_way = bytes,
                .touched = 2 * bytes};
    },
    .fill =
        [](const Stream& stream, const Arrays& arrays, const Parameters& set) {
            launch_numbers(stream, doubles(arrays[1]), count_of(set), place_of_b, bits_for_sums_of_products);
            launch_numbers(stream, doubles(arrays[2]), count_of(set), place_of_c, bits_for_sums_of_products);
        },
    .operation =
        [](const Parameters& set, const GpuFacts& gpu) {
            return [count = count_of(set), multiprocessors = gpu.multiprocessors](const Stream& stream,
                                                                                  const Arrays& arrays) {
                launch_dot(stream, doubles(arrays[0]), doubles(arrays[1]), doubles(arrays[2]), count, multiprocessors);
            };
        },
    .found_wrong = wrong_sum,
    .compared = "the sum, which is exact"};

Measurable measurable(std::string name, std::string summary, const OverArrays& over) {
    return {.benchmark = {.name = "memory/" + std::move(name),
                          .summary = std::move(summary),
                          .clock = Clock::device,
                          .parameters = {{"bytes", default_bytes()}, {"cache", {"resident"}}},
                          .quick = {{"bytes", {}}},
                          .full = {{"bytes", full_bytes()}, {"cache", {"resident", "cold"}}},
                          .needs = {.gpus = 1}},
            .set_up = [&over](const std::vector<Parameters>& sets) { return array_bench(sets, over); }};
}

const RegisteredBenchmark registered_scale{measurable("scale", "b = s c with doubles: BabelStream's Mul", scale)};
const RegisteredBenchmark registered_dot{measurable("dot", "the sum of a b with doubles: BabelStream's Dot", dot)};

}  // namespace
}  // namespace tocuda::measured::memory_stream
