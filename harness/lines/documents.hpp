// tocuda, Apache-2.0.
// The one document that each verb prints with --json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/row.hpp"
#include "model/scenario.hpp"
#include "model/summary.hpp"
#include "model/tally.hpp"

namespace tocuda {

// A scenario as this machine sees it.
struct Listed {
    Scenario scenario;
    std::string worker;
    std::string runnable;  // real, simulated, none, no
    std::string because;
};

struct ListedBenchmark {
    Benchmark benchmark{};
    std::string worker{};
    std::string runnable{};  // as above
    std::string because{};
};

struct Shown {
    Listed listed;
    std::vector<Row> last;
};

struct RunReport {
    std::optional<std::string> run;
    std::string file;
    Device device = Device::none;
    std::vector<Row> rows;
    Tally tally;
};

struct BenchReport {
    std::optional<std::string> run;
    std::string file;
    Device device = Device::none;
    std::vector<RowSummary> rows;
    std::vector<PathFit> fits;
};

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks);
// The scenario as in `list` with its last rows; of several, a list of these under "scenarios".
std::string show_document(const std::vector<Shown>& scenarios);
std::string show_document(const ListedBenchmark& benchmark, const std::vector<RowSummary>& last);
std::string run_document(const RunReport& report);
std::string bench_document(const BenchReport& report);
std::string cite_document(const std::string& text, const std::string& bibtex, const RowSummary& row);
// The same of a row that is not to be quoted: neither text nor entry, and every reason.
std::string refused_cite_document(const RowSummary& row, const std::vector<std::string>& reasons);

}  // namespace tocuda
