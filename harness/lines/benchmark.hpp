// tocuda, Apache-2.0.
// The lines that tocuda exchanges with benchmark workers: `describe` and both directions of `measure`.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "model/benchmark.hpp"
#include "model/problem.hpp"

namespace tocuda {

std::string to_line(const Benchmark& benchmark);    // {"kind":"benchmark", ...}
std::string to_line(const Protocol& protocol);      // {"kind":"protocol", ...}
std::string to_line(const Parameters& parameters);  // {"bytes":65536}
std::string to_line(const Samples& samples);        // {"kind":"samples", ...}

// A line that `measure` reads: the protocol or a parameter set.
using MeasureLine = std::variant<Protocol, Parameters>;

Expected<Benchmark> benchmark_line(std::string_view line);
Expected<Parameters> parameters_line(std::string_view line);
Expected<MeasureLine> measure_line(std::string_view line);
Expected<Samples> samples_line(std::string_view line);

}  // namespace tocuda
