// tocuda, Apache-2.0.
// The run line of this start: what the machine says of itself, and what the probe, a child under a deadline, saw of the
// driver.
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
    std::string found_real{};          // where GPUs are simulated: what the real probe said
    std::vector<int> chosen{};         // by --gpus, or by a launcher; empty where nobody chose
    std::filesystem::path sessions{};  // where this run's session is kept, and by which boot
    std::string boot{};
    std::optional<std::chrono::sys_seconds> clock{};  // a simulated machine's: it stands still
};

RunFacts gather_run_facts(const std::string& verb, const Words& words, const Catalogue& catalogue);

// To be said once, by the process that gathered them.
void end_session_of(const RunFacts& facts);

// Turns to simulated GPUs where they are asked for, or where there is no real one. What is wrong with the choice, or
// nothing.
std::string choose_gpus(RunFacts& facts, const std::string& simulate, bool only_real, const std::string& gpus);

// A rank of a fleet takes its own GPU of those that are to be had. Why there is none for it, or nothing; nothing is
// chosen for what was started alone.
std::string take_own_gpu(RunFacts& facts);

// Where everything is run, for the first line that a person sees.
std::string where_it_runs(const RunFacts& facts);

// "; rank 3 of 8 (srun), local rank 1 on n2", or nothing.
std::string which_rank(const RunFacts& facts);

}  // namespace tocuda
