// tocuda, Apache-2.0.
// What `bench --forecast` prints: what is measured, group by group, and how long it takes. Pure.
#pragma once

#include <string>

#include "model/forecast.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

std::string forecast_table(const Forecast& forecast, const Paper& paper);

}  // namespace tocuda
