// tocuda, Apache-2.0.
// The lines that the worker verbs `describe`, `observe` and `judge` write on descriptor 3.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

}  // namespace tocuda
