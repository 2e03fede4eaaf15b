// tocuda, Apache-2.0.
// Runs a command in this process's place: it has the standard streams, the terminal and the signals.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/problem.hpp"

namespace tocuda {

// Returns its exit code, 128 + n after signal n; a problem if it cannot be started. Signals sent to this process are
// passed on; those of the terminal reach the command by themselves. If the command stops, so does this process.
// After the limit the command and what it started are killed, and the code is that of coreutils' timeout. A command
// with a limit that ignores a signal which asks it to stop is killed soon after; without one, it goes on, as in a
// shell.
inline constexpr int code_after_limit = 124;
Expected<int> run_in_foreground(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                                std::optional<std::chrono::seconds> limit = {});

}  // namespace tocuda
