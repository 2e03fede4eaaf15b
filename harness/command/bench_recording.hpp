// tocuda, Apache-2.0.
// Runs one measurement, from its options to its result file.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/bench_options.hpp"
#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/summary.hpp"

namespace tocuda {

// What a resumed measurement continues from.
struct BenchBefore {
    std::vector<MeasurementRow> rows{};
    std::optional<RunLine> run{};
    bool ended = false;  // its last section is complete: if nothing is missing, nothing is written
};

struct BenchRecording {
    std::optional<int> stopped{};  // the exit code if it did not complete; the reason has been printed
    std::string file{};            // empty if nothing was started
    RunLine run{};
    std::vector<MeasurementRow> measured{};
    std::vector<RowSummary> rows{};  // over all processes, with why each row stopped
    std::string cut_short{};         // one sentence about what the time budget cut short; empty if nothing
};

// Reads the rows of the file to resume and puts the options of its first section into `options`. Returns what is wrong
// if the file cannot be resumed.
std::variant<BenchBefore, std::string> read_bench_before(BenchOptions& options);

// `words` is recorded as the command line; `started` is when the budget began.
BenchRecording record_bench(const BenchOptions& options, const Words& words, const BenchBefore& before, double started);

// The exit code of a measurement that completed: a finding, nothing measured, or as expected.
int code_of(const std::vector<RowSummary>& rows);

}  // namespace tocuda
