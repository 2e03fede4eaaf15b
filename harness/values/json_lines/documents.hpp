// tocuda, Apache-2.0.
// The JSON documents that verbs print with --json.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/benchmark.hpp"
#include "model/change_report.hpp"
#include "model/fitted.hpp"
#include "model/forecast.hpp"
#include "model/machine.hpp"
#include "model/problem.hpp"
#include "model/published.hpp"
#include "model/replayed.hpp"
#include "model/reproduction.hpp"
#include "model/row.hpp"
#include "model/scenario.hpp"
#include "model/simulation_counts.hpp"
#include "model/summary.hpp"
#include "model/tally.hpp"

namespace tocuda {

// The JSON documents that list, show, run, bench, judge and cite print with --json.

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
    std::string unreadable{};           // why it is no result file; empty: it is one
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

// Of several files a list of what each alone would have, and of one that cannot be read its error.
std::string verify_document(const std::vector<VerifyReport>& reports);
std::string merge_document(const MergeReport& report);
std::string import_document(const ImportReport& report);

// The JSON documents of `compare` and `bench --against`.

// Whether the new side is as recorded: of what, in which files, and the answer; and what others published of its rows.
struct NormalAnswer {
    std::string machine{};
    std::vector<std::string> files{};
    std::string text{};
    std::vector<HeldRow> published{};
};

std::string compare_document(const ChangeReport& report, const std::optional<NormalAnswer>& normal = {});
std::string fleet_document(const FleetReport& report);
std::string history_document(const HistoryReport& report);

// The libcuda of a folder beside the installed one, on the installed kernel module.
struct LibcudaPair {
    std::string version{};    // "590.44.01"
    std::string cuda{};       // "13.1"
    std::string installed{};  // version of the installed one
    std::string installed_cuda{};
    std::string module{};
};

// "only the user-mode libcuda changed: ...": what a verdict about it says, and what it does not.
std::string libcuda_words(const LibcudaPair& libcuda);

// What `bench --against` (another build) or `--against-driver` (another libcuda) measured in turns.
struct AgainstWhat {
    std::string folder{};
    std::string file{};
    std::optional<Build> build{};
    std::optional<LibcudaPair> libcuda{};
};

// Returns the document of `bench` with the rows of `compare` and their totals under "against".
std::string against_document(const RecordedRun& bench, const AgainstWhat& what, const ChangeReport& report);

// The document of `reproduce`.
std::string reproduce_document(const Reproduction& reproduction);

// The JSON document of `report`: which file it wrote, from which runs.
struct WrittenReport {
    std::string file{};
    std::size_t bytes = 0;
    std::vector<std::string> runs{};
    bool simulated = false;
    bool redacted = false;
    std::vector<std::string> warnings{};
};

std::string report_document(const WrittenReport& report);

// The document of `fit --json`.
std::string fit_document(const Fitted& fitted);

// The document of `replay --json`, and what its worker is asked and answers.
struct ReplayRequest {
    std::vector<std::string> files{};
    bool every_device = false;            // else: that with most events of each file
    std::vector<std::string> settings{};  // "all" for those that are known to help
    std::vector<std::int64_t> capacities{};
    bool smallest = false;
};

std::string to_text(const ReplayRequest& request);
// For each file, or for each device of each file.
Expected<std::variant<std::vector<Replayed>, ReplayRefused>> replay_answer(std::string_view text);
std::string replay_document(const Replayed& replayed);
Expected<Replayed> read_replay_document(std::string_view text);

// The JSON document of `simulate`.
std::string simulate_document(const SimulationCounts& counts);

}  // namespace tocuda
