// tocuda, Apache-2.0.
// From what a run line says of a GPU.
#include "gathering/gpu_cohort.hpp"

#include "gathering/gpu_pairs.hpp"

namespace tocuda {

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu) {
    Cohort cohort{.model = gpu.model, .driver = driver_text(run.driver)};
    const auto* known = find_gpu(run, gpu);
    if (!known) return cohort;
    const auto fields = fields_of(*known);
    if (const auto vbios = fields.find("vbios"); vbios != fields.end()) cohort.vbios = vbios->second;
    if (const auto limit = fields.find("power_limit_w"); limit != fields.end()) cohort.power_limit_w = limit->second;
    return cohort;
}

}  // namespace tocuda
