// tocuda, Apache-2.0.
// Runs scenarios into a result file, new or resumed.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/catalogue.hpp"
#include "command/run_options.hpp"
#include "model/machine.hpp"
#include "model/row.hpp"
#include "model/tally.hpp"

namespace tocuda {

// What the file to be resumed contains.
struct RunBefore {
    std::vector<Row> rows{};
    std::optional<RunLine> run{};
    bool ended = false;  // its last section has an end line: if nothing is missing, nothing is written
};

struct RunRecording {
    std::optional<int> stopped{};  // the exit code if it did not complete; the reason has been printed
    std::string file{};            // empty if nothing was started
    RunLine run{};
    std::vector<Row> rows{};
};

// Reads the file to be resumed, and sets `options` to those of its first section; or returns what is wrong with it.
std::variant<RunBefore, std::string> read_run_before(RunOptions& options);

// `words` is the command line to record.
RunRecording record_run(RunOptions options, const Words& words, const RunBefore& before, const Catalogue& catalogue);

// Prints what is wrong, after the verb's name; returns the code.
int complain_of_run(int code, const std::string& what);

}  // namespace tocuda
