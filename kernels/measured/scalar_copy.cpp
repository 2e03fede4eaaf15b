// tocuda, Apache-2.0.
// The copy of one element per thread.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::measured::scalar_copy {
namespace {

const RegisteredBenchmark scalar{copy_within_one_gpu(
    "scalar", "copy within the memory of one GPU by a kernel, one element per thread",
    {{"bytes", {}}, {"element_bytes", {4}}}, {{"element_bytes", {1, 4, 8}}},
    {.copy = [](const Parameters& set, const GpuFacts&) -> Copy {
         return [bytes = bytes_of(set), element = whole(set, "element_bytes")](const Stream& stream, std::byte* to,
                                                                               const std::byte* from) {
             launch_scalar_copy(stream, to, from, bytes, static_cast<unsigned>(element));
         };
     },
     .why_skipped = [](const Parameters& set,
                       const GpuFacts&) { return why_not_among(set, "element_bytes", {1, 4, 8}); }})};

}  // namespace
}  // namespace tocuda::measured::scalar_copy
