// tocuda, Apache-2.0.
// The forecast of a measurement: the plan that `bench` would carry out, and nothing is measured.
#pragma once

#include <string>

#include "model/evidence.hpp"
#include "model/forecast.hpp"
#include "request/catalogue.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

struct BenchForecast {
    Device device = Device::none;
    std::string where{};  // "8 simulated GPUs (8xH200)"
    std::string text{};   // the sum, in a sentence
    double budget_seconds = 0;
    Forecast forecast{};
};

// Simulated GPUs take the time that real ones are assumed to take. Without a GPU it is that of one H200.
OrExit<BenchForecast> forecast_bench(const BenchRequest& request, const Catalogue& catalogue);

}  // namespace tocuda
