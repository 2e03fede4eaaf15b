// tocuda, Apache-2.0.
// The lines of the worker verbs: what `describe`, `observe`, `judge` and `measure` write on descriptor 3, and what
// `measure` reads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"
#include "model/judgement.hpp"
#include "model/problem.hpp"
#include "model/scenario.hpp"

namespace tocuda {

inline constexpr int worker_protocol = 1;

struct WorkerLine {
    int protocol = worker_protocol;
    std::map<std::string, std::string> built_with{};  // "libtorch": "2.15.0", "cuda": "13.2"
};
// The last line of `observe`. Without it a child that exited with 0 counts as having reported nothing.
struct DoneLine {
    Device device = Device::none;
};
struct RulingLine {
    std::string name;
    std::string variant;
    Ruling ruling;
};

std::string to_line(const WorkerLine& line);
std::string to_line(const Scenario& scenario);
std::string to_line(const Observation& observation);
std::string to_line(const DoneLine& line);
std::string to_line(const RulingLine& line);

// A line of a kind that this version does not know; readers skip it.
struct UnknownLine {
    std::string kind;
};
using DescribeLine = std::variant<WorkerLine, Scenario, UnknownLine>;
using ObserveLine = std::variant<Observation, DoneLine, UnknownLine>;

Expected<DescribeLine> describe_line(std::string_view line);
Expected<ObserveLine> observe_line(std::string_view line);
Expected<RulingLine> ruling_line(std::string_view line);

// The lines that tocuda exchanges with benchmark workers: `describe` and both directions of `measure`.
std::string to_line(const Benchmark& benchmark);    // {"kind":"benchmark", ...}
std::string to_line(const Protocol& protocol);      // {"kind":"protocol", ...}
std::string to_line(const Parameters& parameters);  // {"bytes":65536}
std::string to_line(const Samples& samples);        // {"kind":"samples", ...}

// A line that `measure` reads: the protocol or a parameter set.
using MeasureLine = std::variant<Protocol, Parameters>;

Expected<Benchmark> benchmark_line(std::string_view line);
Expected<MeasureLine> measure_line(std::string_view line);
Expected<Samples> samples_line(std::string_view line);

}  // namespace tocuda
