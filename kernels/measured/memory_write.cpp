// tocuda, Apache-2.0.
// Writes memory only.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/array_bench.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/hints.hpp"

namespace tocuda::measured::memory_write {
namespace {

const OverArrays write{
    .sizes = [](const Parameters& set, const GpuFacts&) -> ArraySizes {
        return {.bytes = {bytes_of(set)}, .one_way = bytes_of(set), .touched = bytes_of(set)};
    },
    .fill = [](const Stream&, const Arrays&, const Parameters&) {},
    .operation =
        [](const Parameters& set, const GpuFacts&) {
            return [bytes = bytes_of(set), hint = hint_of(text(set, "hint"))](
                       const Stream& stream, const Arrays& arrays) { launch_write(stream, arrays[0], bytes, hint); };
        },
    .expected = [](const Stream& stream, std::byte* to,
                   const Parameters& set) { launch_expected_write(stream, to, bytes_of(set)); },
    .why_skipped = [](const Parameters& set,
                      const GpuFacts&) { return why_not_among(set, "hint", {"plain", "streaming_store"}); }};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "memory/write",
                  .summary = "write the memory of a GPU and read nothing",
                  .clock = Clock::device,
                  .parameters = {{"bytes", default_bytes()}, {"hint", {"plain"}}, {"cache", {"resident"}}},
                  .quick = {{"bytes", {}}},
                  .full = {{"bytes", full_bytes()},
                           {"hint", {"plain", "streaming_store"}},
                           {"cache", {"resident", "cold"}}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>& sets) { return array_bench(sets, write); },
}};

}  // namespace
}  // namespace tocuda::measured::memory_write
