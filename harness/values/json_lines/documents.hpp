// tocuda, Apache-2.0.
// The JSON documents that list, show, run, bench, judge and cite print with --json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/forecast.hpp"
#include "model/machine.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"
#include "model/scenario.hpp"
#include "model/summary.hpp"
#include "model/tally.hpp"

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

struct ShownBenchmark {
    ListedBenchmark listed;
    std::vector<RowSummary> last;
};

// A run together with the runs that resumed it.
struct RecordedRun {
    RunLine about{};                   // of the last section
    std::vector<std::string> files{};  // that contain part of the run
    std::string status{};              // complete, interrupted, or partial if the last section has no end line
    MeasuredRun measured{};
    std::vector<Row> scenarios{};
    std::map<std::string, std::string> statements{};  // what the documents say, by claim
};

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks);
// The scenario or benchmark as in `list` with its last rows; several are lists under "scenarios" and "benchmarks".
std::string show_document(const std::vector<Shown>& scenarios, const std::vector<ShownBenchmark>& benchmarks);
std::string run_document(const RecordedRun& run);
std::string bench_document(const RecordedRun& run);
// Of `bench --forecast`; a budget of 0 is none.
std::string forecast_document(const Forecast& forecast, Device device, double budget_seconds);
// One document for several recorded runs, at least one; each row names its run.
std::string judge_document(const std::vector<RecordedRun>& runs);
// What a verb that failed prints instead of its document.
std::string error_document(const std::string& message, int exit_code);
// A row or claim that must not be cited has no text and no BibTeX entry, but every reason.
std::string cite_document(const RunLine& about, const RowSummary& row, const std::optional<std::string>& text,
                          const std::optional<std::string>& bibtex, const std::vector<std::string>& refused);
std::string cite_document(const RunLine& about, const ClaimSummary& claim, const std::optional<std::string>& text,
                          const std::optional<std::string>& bibtex, const std::vector<std::string>& refused);

// The documents of verify and merge.
struct VerifyReport {
    std::string file{};
    bool whole = false;
    bool unaltered = false;
    std::vector<Problem> problems{};
    std::vector<std::string> notes{};
    std::vector<std::string> sha256{};  // of each section, without its end line
    std::string why_not_citable{};      // empty if the file has a row that may be cited
};

struct MergeReport {
    std::string file{};
    int sections = 0;
    long rows = 0;
    int duplicates = 0;
    std::vector<std::string> warnings{};
};

// What `import` made of the files of other tools.
struct ImportReport {
    std::string file{};
    std::vector<RunLine> sections{};
    int rows = 0;           // with a value
    int without_value = 0;  // rows that say why they have none
    std::vector<std::string> warnings{};
};

std::string verify_document(const VerifyReport& report);
std::string merge_document(const MergeReport& report);
std::string import_document(const ImportReport& report);

}  // namespace tocuda
