// tocuda, Apache-2.0.
// Whether a measured rate can be true: the one rule of the flag of a row and of `verify`.
#pragma once

#include <optional>
#include <string>

#include "model/measurement.hpp"

namespace tocuda {

struct ImpossibleRate {
    std::string what{};   // "the median rate of 3 GB/s", "a sample's rate of 3 GB/s"
    std::string limit{};  // "the peak of 2 GB/s (SOURCE)", and what the cache allows beyond it

    std::string sentence() const { return what + " exceeds " + limit; }
};

// nullopt if no peak is known, or nothing exceeds what is possible.
std::optional<ImpossibleRate> impossible_rate(const MeasurementRow& row);

}  // namespace tocuda
