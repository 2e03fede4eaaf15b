// tocuda, Apache-2.0.
// The one document that each verb prints with --json.
#pragma once

#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/machine.hpp"
#include "model/row.hpp"
#include "model/scenario.hpp"
#include "model/summary.hpp"

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

// A run, with all that goes on with it.
struct RecordedRun {
    RunLine about{};                   // of its last section
    std::vector<std::string> files{};  // that hold a part of it
    std::string status{};              // complete, interrupted, partial: its last section has no end
    MeasuredRun measured{};
    std::vector<Row> scenarios{};
};

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks);
// The scenario as in `list` with its last rows; of several, a list of these under "scenarios".
std::string show_document(const std::vector<Shown>& scenarios);
std::string show_document(const ListedBenchmark& benchmark, const std::vector<RowSummary>& last);
std::string run_document(const RecordedRun& run);
std::string bench_document(const RecordedRun& run);
// The same of whatever was recorded, in one document: its rows name their run. There is at least one.
std::string judge_document(const std::vector<RecordedRun>& runs);
std::string cite_document(const std::string& text, const std::string& bibtex, const RowSummary& row);
// The same of a row that is not to be quoted: neither text nor entry, and every reason.
std::string refused_cite_document(const RowSummary& row, const std::vector<std::string>& reasons);

}  // namespace tocuda
