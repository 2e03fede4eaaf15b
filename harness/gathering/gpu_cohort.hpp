// tocuda, Apache-2.0.
// Of which cohort a GPU is. Pure.
#pragma once

#include "gathering/gathering.hpp"
#include "model/cohort.hpp"

namespace tocuda {

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu);

}  // namespace tocuda
