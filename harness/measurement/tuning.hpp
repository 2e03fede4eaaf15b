// tocuda, Apache-2.0.
// Makes a benchmark that measures every variant of another one at one size, to choose one of them. Its name begins with
// `tune/`.
#pragma once

#include <string>
#include <utility>

#include "measurement/registered_benchmark.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// Uses every value of a full measurement, except for the parameters whose values are given here.
inline Measurable tuning(Measurable of, std::string name, std::map<std::string, Values> given) {
    auto& benchmark = of.benchmark;
    benchmark.name = std::string(tuning_folder) + std::move(name);
    benchmark.summary = "measure every variant at one size, to choose the best: " + benchmark.summary;
    for (auto& [parameter, values] : benchmark.full) benchmark.parameters[parameter] = values;
    for (auto& [parameter, values] : given) benchmark.parameters[parameter] = std::move(values);
    benchmark.quick = {};
    benchmark.full = {};
    return of;
}

}  // namespace tocuda
