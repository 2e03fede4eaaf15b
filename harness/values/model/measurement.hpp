// tocuda, Apache-2.0.
// A measurement row of a result file: what one process measured of one parameter set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"

namespace tocuda {

struct MeasurementRow {
    std::string benchmark;
    std::string id;  // 16 hex digits of benchmark, parameters and protocol: rows with equal ids are comparable
    Device device = Device::none;
    std::vector<std::string> stand_in{};
    int round = 0;
    int process = 0;  // counted through the whole run, from 0
    Samples samples{};

    bool operator==(const MeasurementRow&) const = default;
};

}  // namespace tocuda
