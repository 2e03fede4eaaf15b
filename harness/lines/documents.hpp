// tocuda, Apache-2.0.
// The JSON documents that list, show, run, bench, judge and cite print with --json.
#pragma once

#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/machine.hpp"
#include "model/row.hpp"
#include "model/scenario.hpp"
#include "model/summary.hpp"

namespace tocuda {

// A scenario and whether it can run on this machine.
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

// A run together with the runs that resumed it.
struct RecordedRun {
    RunLine about{};                   // of the last section
    std::vector<std::string> files{};  // that contain part of the run
    std::string status{};              // complete, interrupted, or partial if the last section has no end line
    MeasuredRun measured{};
    std::vector<Row> scenarios{};
};

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks);
// The scenario as in `list` with its last rows; several scenarios are a list under "scenarios".
std::string show_document(const std::vector<Shown>& scenarios);
std::string show_document(const ListedBenchmark& benchmark, const std::vector<RowSummary>& last);
std::string run_document(const RecordedRun& run);
std::string bench_document(const RecordedRun& run);
// One document for several recorded runs, at least one; each row names its run.
std::string judge_document(const std::vector<RecordedRun>& runs);
std::string cite_document(const std::string& text, const std::string& bibtex, const RowSummary& row);
// For a row that must not be cited: every reason instead of the text and the BibTeX entry.
std::string refused_cite_document(const RowSummary& row, const std::vector<std::string>& reasons);

}  // namespace tocuda
