// tocuda, Apache-2.0.
// The copy from an address whose offset within 16 bytes differs from the target's.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"

namespace tocuda::measured::misaligned_copy {
namespace {

Copy copy(const Parameters& set, const GpuFacts&) {
    return [bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_misaligned_copy(stream, to, from, bytes);
    };
}

const RegisteredBenchmark misaligned{copy_within_one_gpu(
    "misaligned",
    "copy within the memory of one GPU from an address `offset` bytes past a multiple of 16 to a multiple of 16",
    {{"bytes", {}}, {"offset", {1}}},
    {{"offset", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
     {"bytes", {std::int64_t{64} << 20, std::int64_t{1} << 30}}},
    {.copy = copy,
     .why_skipped = [](const Parameters& set, const GpuFacts&) { return why_not_between(set, "offset", 0, 127); },
     .offset = [](const Parameters& set) { return static_cast<std::size_t>(whole(set, "offset")); }})};

}  // namespace
}  // namespace tocuda::measured::misaligned_copy
