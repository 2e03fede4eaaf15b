// tocuda, Apache-2.0.
// Runs a command in this process's place: it has the standard streams, the terminal and the signals.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/problem.hpp"

namespace tocuda {

inline constexpr int code_after_limit = 124;  // that of coreutils' timeout

struct ForegroundEnd {
    int code = 0;        // 128 + n after signal n
    int signal = 0;      // that n; 0: it ended by itself
    int stopped_by = 0;  // the signal that asked this process to stop; 0: the command ended by itself
};

// A problem if it cannot be started. Signals sent to this process are passed on, those that ask it to stop also to what
// the command started; those of the terminal reach them by themselves. If the command stops, so does this process.
// After the limit the command and what it started are killed. A command with a limit that ignores a signal which asks
// it to stop is killed soon after; without one, it goes on, as in a shell.
Expected<ForegroundEnd> run_in_foreground(const std::vector<std::string>& command,
                                          const std::vector<std::string>& environment,
                                          std::optional<std::chrono::seconds> limit = {});

}  // namespace tocuda
