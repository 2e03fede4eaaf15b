// tocuda, Apache-2.0.
// The lines that tocuda exchanges with benchmark workers: `describe` and both directions of `measure`.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "lines/parsed.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

std::string to_line(const Benchmark& benchmark);    // {"kind":"benchmark", ...}
std::string to_line(const Protocol& protocol);      // {"kind":"protocol", ...}
std::string to_line(const Parameters& parameters);  // {"bytes":65536}
std::string to_line(const Samples& samples);        // {"kind":"samples", ...}

// A line that `measure` reads: the protocol or a parameter set.
using MeasureLine = std::variant<Protocol, Parameters>;

Parsed<Benchmark> benchmark_line(std::string_view line);
Parsed<Parameters> parameters_line(std::string_view line);
Parsed<MeasureLine> measure_line(std::string_view line);
Parsed<Samples> samples_line(std::string_view line);

}  // namespace tocuda
