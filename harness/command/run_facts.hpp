// tocuda, Apache-2.0.
// Gathers the facts of the run line: those of the machine, and those of the driver as a probe (a child with a deadline)
// sees them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command/catalogue.hpp"
#include "command/plan.hpp"
#include "command/verb.hpp"
#include "model/machine.hpp"

namespace tocuda {

struct RunFacts {
    RunLine line;
    Available available;
    std::string found_real{};          // if GPUs are simulated: what the probe of the real ones found
    std::vector<int> chosen{};         // by --gpus or a launcher; empty if neither chose
    std::filesystem::path sessions{};  // where this run's session is stored
    std::string boot{};
    std::optional<std::chrono::sys_seconds> clock{};  // the fixed clock of a simulated machine
};

RunFacts gather_run_facts(const std::string& verb, const Words& words, const Catalogue& catalogue);

// Call once, in the process that gathered the facts.
void end_session_of(const RunFacts& facts);

// Switches to simulated GPUs if requested or if there is no real one, then applies --gpus. Returns what is wrong with
// the choice; empty if nothing is.
std::string choose_gpus(RunFacts& facts, const std::string& simulate, bool only_real, const std::string& gpus);

// Chooses this rank's own GPU among the available ones. Returns why there is none for it, otherwise empty. Chooses
// nothing outside a fleet.
std::string take_own_gpu(RunFacts& facts);

// Returns where everything runs: the first line of the output.
std::string where_it_runs(const RunFacts& facts);

// Returns "; rank 3 of 8 (srun), local rank 1 on n2"; empty outside a fleet.
std::string which_rank(const RunFacts& facts);

}  // namespace tocuda
