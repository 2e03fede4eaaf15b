// tocuda, Apache-2.0.
// A measurement row of a result file: what one process measured of one parameter set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"

namespace tocuda {

// What another tool printed for an imported row, from which its samples were derived; the first, if it printed several.
struct Printed {
    double value = 0;
    std::string unit{};  // "GB/s", "us"
    std::string is{};    // "median of its trials"

    bool operator==(const Printed&) const = default;
};

// Imported rates are kept as times, and shown as they were printed: amount / seconds.
struct PrintedRate {
    double amount = 0;   // that is moved or computed in that time
    std::string unit{};  // "GB/s"

    bool operator==(const PrintedRate&) const = default;
};

struct MeasurementRow {
    std::string benchmark;
    std::string id;  // 16 hex digits of benchmark, parameters and protocol: rows with equal ids are comparable
    Device device = Device::none;
    std::vector<std::string> stand_in{};
    int round = 0;
    int process = 0;  // counted through the whole run, from 0
    Samples samples{};
    std::optional<Printed> imported{};

    bool operator==(const MeasurementRow&) const = default;
};

// Whether a measured rate can be true: the one rule of the flag of a row and of `verify`.
struct ImpossibleRate {
    std::string what{};   // "the median rate of 3 GB/s", "a sample's rate of 3 GB/s"
    std::string limit{};  // "the peak of 2 GB/s (SOURCE)", and what the cache allows beyond it

    std::string sentence() const { return what + " exceeds " + limit; }
};

// nullopt if no peak is known, or nothing exceeds what is possible.
std::optional<ImpossibleRate> impossible_rate(const MeasurementRow& row);

}  // namespace tocuda
