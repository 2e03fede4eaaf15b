// tocuda, Apache-2.0.
// The one document that each verb prints with --json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/row.hpp"
#include "model/scenario.hpp"
#include "model/tally.hpp"

namespace tocuda {

// A scenario as this machine sees it.
struct Listed {
    Scenario scenario;
    std::string worker;
    std::string runnable;  // real, simulated, none, no
    std::string because;
};

struct RunReport {
    std::optional<std::string> run;
    std::string file;
    Device device = Device::none;
    std::vector<Row> rows;
    Tally tally;
};

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<Benchmark>& benchmarks);
std::string show_document(const Listed& scenario, const std::vector<Row>& last);
std::string run_document(const RunReport& report);

}  // namespace tocuda
