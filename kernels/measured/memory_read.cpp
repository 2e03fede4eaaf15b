// tocuda, Apache-2.0.
// Reads memory only; the exclusive or of all words is checked.
#include "kernels/memory_read.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "kernels/launches.hpp"
#include "kernels/measured/array_bench.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "measurement/check.hpp"
#include "measurement/parameter.hpp"
#include "measurement/payload.hpp"

namespace tocuda::measured::memory_read {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;  // a multiple of a word

// Computes the expected value of the payload in chunks.
std::uint32_t expected_sum(std::size_t bytes) {
    std::vector<std::byte> chunk(std::min(bytes, chunk_bytes));
    std::uint32_t sum = 0;
    for (std::size_t place = 0; place < bytes; place += chunk.size()) {
        const auto part = std::span(chunk).first(std::min(chunk.size(), bytes - place));
        write_payload(part, place);
        sum ^= read_reference(part);
    }
    return sum;
}

std::function<std::string(const Stream&, const Arrays&)> found_wrong(const Parameters& set, const GpuFacts& gpu) {
    return [bytes = bytes_of(set), multiprocessors = gpu.multiprocessors, expected = std::optional<std::uint32_t>()](
               const Stream& stream, const Arrays& arrays) mutable -> std::string {
        std::vector<std::uint32_t> sums(read_blocks(bytes, multiprocessors));
        download(std::as_writable_bytes(std::span(sums)), arrays[0], stream);
        const auto sum = std::accumulate(sums.begin(), sums.end(), 0U,
                                         [](std::uint32_t one, std::uint32_t other) { return one ^ other; });
        if (!expected) expected = expected_sum(bytes);
        return sum == *expected ? ""
                                : "the exclusive or is " + std::to_string(sum) + ", not " + std::to_string(*expected);
    };
}

const OverArrays read{
    .sizes = [](const Parameters& set, const GpuFacts& gpu) -> ArraySizes {
        const auto bytes = bytes_of(set);
        return {.bytes = {read_blocks(bytes, gpu.multiprocessors) * sizeof(std::uint32_t), bytes},
                .one_way = bytes,
                .touched = bytes};
    },
    .fill = [](const Stream& stream, const Arrays& arrays,
               const Parameters& set) { write_payload(stream, {arrays[1], bytes_of(set)}); },
    .operation =
        [](const Parameters& set, const GpuFacts& gpu) {
            return [bytes = bytes_of(set), count = gpu.multiprocessors](const Stream& stream, const Arrays& arrays) {
                launch_read(stream, reinterpret_cast<std::uint32_t*>(arrays[0]), arrays[1], bytes, count);
            };
        },
    .found_wrong = found_wrong,
    .compared = "the exclusive or of all words"};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "memory/read",
                  .summary = "read the memory of a GPU and write almost nothing",
                  .clock = Clock::device,
                  .parameters = {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
                  .quick = {{"bytes", {std::int64_t{64} << 20}}},
                  .full = {{"bytes", full_bytes()}, {"cache", {"resident", "cold"}}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return array_bench(sets, read); },
}};

}  // namespace
}  // namespace tocuda::measured::memory_read
