// tocuda, Apache-2.0.
// The standard copy: cudaMemcpyAsync from device to device.
#include <cuda_runtime_api.h>

#include "kernels/measured/copy_variants.hpp"
#include "measurement/parameter.hpp"
#include "measurement/tuning.hpp"

namespace tocuda::measured::engine_copy {
namespace {

Copy copy(const Parameters& set, const GpuFacts&) {
    return [bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        require("cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.get()));
    };
}

}  // namespace

CopyWithin by_engine() { return {.copy = copy}; }

namespace {

Measurable engine() {
    auto measurable = copy_within_one_gpu("engine", "copy within the memory of one GPU by cudaMemcpyAsync",
                                          {{"bytes", headline_bytes()}, {"cache", {"resident"}}},
                                          {{"cache", {"resident", "cold"}}}, by_engine());
    measurable.benchmark.quick = {{"bytes", {std::int64_t{64} << 20}}};
    return measurable;
}

const RegisteredBenchmark registered{engine()};
const RegisteredBenchmark to_choose{
    tuning(engine(), "copy_by_engine", {{"bytes", tuning_bytes()}, {"cache", {"resident"}}})};

}  // namespace
}  // namespace tocuda::measured::engine_copy
