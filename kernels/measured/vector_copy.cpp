// tocuda, Apache-2.0.
// The vector copies: 16 bytes at a time, and 32 if the GPU supports it.
#include "kernels/launches.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/vector32_copy.hpp"
#include "measurement/parameter.hpp"

namespace tocuda::measured::vector_copy {
namespace {

const RegisteredBenchmark vector16{
    copy_within_one_gpu("vector16", "copy within the memory of one GPU by a kernel, 16 bytes at a time", {}, {},
                        {.copy = [](const Parameters& set, const GpuFacts&) -> Copy {
                            return [bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
                                launch_vector_copy(stream, to, from, bytes);
                            };
                        }})};

const RegisteredBenchmark vector32{copy_within_one_gpu(
    "vector32", "copy within the memory of one GPU by a kernel, 32 bytes at a time", {{"bytes", {}}}, {},
    {.copy = [](const Parameters& set, const GpuFacts&) -> Copy {
         return [bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
             launch_vector32_copy(stream, to, from, bytes);
         };
     },
     .compute_capability = Vector32Copy::compute_capability})};

}  // namespace
}  // namespace tocuda::measured::vector_copy
