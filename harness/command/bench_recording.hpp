// tocuda, Apache-2.0.
// One measurement, from what was asked for to its file.
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

// What a measurement goes on from.
struct BenchBefore {
    std::vector<MeasurementRow> rows{};
    std::optional<RunLine> run{};
    bool ended = false;  // its last section is whole: where nothing is missing, there is nothing to write
};

struct BenchRecording {
    std::optional<int> stopped{};  // the exit code, where it did not come to its end; why has been said
    std::string file{};            // empty where nothing was begun
    RunLine run{};
    std::vector<MeasurementRow> measured{};
    std::vector<RowSummary> rows{};  // of all processes, with what ended each
    std::string cut_short{};         // what the time did not suffice for, in one sentence; or nothing
};

// The rows of the file that is to be resumed, and in `options` what its first section was asked for; or what is wrong
// with it.
std::variant<BenchBefore, std::string> read_bench_before(BenchOptions& options);

// `words` are what its command line is to say; `started` is when the budget began.
BenchRecording record_bench(const BenchOptions& options, const Words& words, const BenchBefore& before, double started);

// How it went, without anything that was stopped: a finding, nothing measured, or as expected.
int code_of(const std::vector<RowSummary>& rows);

}  // namespace tocuda
