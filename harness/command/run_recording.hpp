// tocuda, Apache-2.0.
// One run of scenarios, from what was asked for to its file.
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

// What a run goes on from.
struct RunBefore {
    std::vector<Row> rows{};
    std::optional<RunLine> run{};
    bool ended = false;  // its last section is whole: where nothing is missing, there is nothing to write
};

struct RunRecording {
    std::optional<int> stopped{};  // the exit code, where it did not come to its end; why has been said
    std::string file{};            // empty where nothing was begun
    RunLine run{};
    std::vector<Row> rows{};
};

// The rows of the file that is to be resumed, and in `options` what its first section was asked for; or what is wrong
// with it.
std::variant<RunBefore, std::string> read_run_before(RunOptions& options);

// `words` are what its command line is to say.
RunRecording record_run(RunOptions options, const Words& words, const RunBefore& before, const Catalogue& catalogue);

// Says what is wrong, after the verb's name; returns the code.
int complain_of_run(int code, const std::string& what);

}  // namespace tocuda
