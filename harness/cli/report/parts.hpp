// tocuda, Apache-2.0.
// The parts of a page. Each is empty if the report has nothing for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/figure.hpp"
#include "report/html.hpp"
#include "report/report.hpp"

namespace tocuda::page {

// The newest row of each scenario and variant, over all runs; `run` of each is its place in the report.
struct Scenarios {
    std::vector<Row> rows{};
    std::vector<std::size_t> runs{};
};
Scenarios newest_scenarios(const Report& report);

// The runs of one model of GPUs, real or simulated, newest first. Of each row the cards and the data sheet show the
// newest run that has it.
struct ModelRuns {
    std::string model{};
    std::vector<const RecordedRun*> runs{};
};
// In the order of the two sides, or else of time. A fleet, and runs without a GPU beside one model, are one.
std::vector<ModelRuns> models_of(const Report& report);

bool is_simulated(const RecordedRun& run);
// "SIMULATED" or "in part SIMULATED"; empty if nothing is.
std::string simulated_words(const Report& report);
std::string run_words(const RecordedRun& run);  // its id, and whether it is simulated

// "NVIDIA H200 (141 GiB, 700 W), driver 580.95.05 (CUDA 13.0), LibTorch 2.15.0, AMD EPYC, Debian 12, host node17"
std::string machine_words(const RunLine& run, bool redacted);
// The newest run's machine of each model, or all GPUs of a fleet.
std::vector<std::string> machine_words(const Report& report);
std::string gpus_words(const Report& report);  // "NVIDIA H200", "12 x NVIDIA H200", "NVIDIA H100 and NVIDIA H200"

// One of the numbers that matter first.
struct Headline {
    std::string what{};
    std::string value{};   // empty: not measured
    std::string detail{};  // or how to measure it
    std::string model{};   // empty: all runs are of one
};
std::vector<Headline> headlines(const Report& report);

// The answer of the page in a sentence without its full stop: what changed and how surely, who stands out in a fleet,
// what became of the claims, or what was measured. A driver is named as the cause only where it alone changed and the
// rows are sure.
std::string verdict_words(const Report& report);
std::string title_of(const Report& report);  // "NVIDIA H200, 2026-11-12: " and that
// "every claim as expected", or how many are not.
std::string claims_words(const Report& report);
// What needs attention before anything else is read: unexpected claims, failed rows, what was cut short.
std::vector<std::string> warnings_of(const Report& report);

Html data_sheet_part(const Report& report, Figures& figures, const Redaction& redaction);
Html claims_part(const Report& report, const Redaction& redaction);
Html evidence_part(const Report& report, const Redaction& redaction);
Html fragmentation_part(const Report& report, Figures& figures, const Redaction& redaction);
Html memory_part(const Report& report, Figures& figures, const Redaction& redaction);
Html measurements_part(const Report& report, Figures& figures, const Redaction& redaction);
Html published_part(const Report& report, const Redaction& redaction);
const char* changes_name(const Report& report);  // "Changes", or of two models "Side by side"
std::string step_words(const DriverStep& step);  // "old to new", "NVIDIA H100 and NVIDIA H200"
Html changes_part(const Report& report, Figures& figures, const Redaction& redaction);
Html fleet_part(const Report& report, Figures& figures, const Redaction& redaction);

// "train.json: reserved peak 1544 MiB, smallest 1446 MiB"
std::string memory_words(const MemoryReplay& memory);
// "1 of 12 GPUs stands out: node2 cuda:2"
std::string standing_words(const FleetReport& fleet);
std::string gpu_place(const RunLine& run, const std::string& uuid);  // "node17 cuda:0"
// The sentences about a fleet, the total last.
std::vector<std::string> fleet_lines(const FleetReport& fleet);

// The lines of a text that was made for a terminal.
std::vector<std::string> filled_lines(const std::string& text);
// Wide enough that no line of tables is wrapped.
Paper page_paper();

}  // namespace tocuda::page
