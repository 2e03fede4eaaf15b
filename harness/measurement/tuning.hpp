// tocuda, Apache-2.0.
// The benchmark that measures every variant of another one at one size, so that one of them can be chosen. Its name
// begins with `tune/`.
#pragma once

#include <string>
#include <utility>

#include "measurement/registered_benchmark.hpp"
#include "model/tuning_folder.hpp"

namespace tocuda {

// Every value that a full measurement has, but of these parameters the ones given here.
inline Measurable tuning(Measurable of, std::string name, std::map<std::string, Values> given) {
    auto& benchmark = of.benchmark;
    benchmark.name = std::string(tuning_folder) + std::move(name);
    benchmark.summary = "every variant at one size, to choose among them: " + benchmark.summary;
    for (auto& [parameter, values] : benchmark.full) benchmark.parameters[parameter] = values;
    for (auto& [parameter, values] : given) benchmark.parameters[parameter] = std::move(values);
    benchmark.quick = {};
    benchmark.full = {};
    return of;
}

}  // namespace tocuda
