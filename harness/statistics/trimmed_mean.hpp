// tocuda, Apache-2.0.
// The mean without the tenth of the values that is smallest and the tenth that is largest, and its error (Yuen): a few values far out move neither.
#pragma once

#include <span>

namespace tocuda {

struct TrimmedMean {
    double mean = 0;
    double error = 0;     // standard error; 0 where there is no freedom
    double freedom = 0;   // of Student's t that (mean - true one) / error follows nearly
};
TrimmedMean trimmed_mean(std::span<const double> values);  // of no values: zeros

}  // namespace tocuda
