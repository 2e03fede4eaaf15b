// tocuda, Apache-2.0.
// The run line of this start: what the machine says of itself, and what the probe, a child under a deadline, saw of the driver.
#pragma once

#include "command/catalogue.hpp"
#include "command/plan.hpp"
#include "command/verb.hpp"
#include "model/machine.hpp"

namespace tocuda {

struct RunFacts {
    RunLine line;
    Available available;
    std::string found_real{};   // where GPUs are simulated: what the real probe said
    std::vector<int> chosen{};  // by --gpus; empty where nobody chose
};

RunFacts gather_run_facts(const std::string& verb, const Words& words, const Catalogue& catalogue);

// Turns to simulated GPUs where they are asked for, or where there is no real one. What is wrong with the choice, or nothing.
std::string choose_gpus(RunFacts& facts, const std::string& simulate, bool only_real, const std::string& gpus);

// Where everything is run, for the first line that a person sees.
std::string where_it_runs(const RunFacts& facts);

// Why a recording cannot be gone on with here, or nothing.
std::string why_not_resumable(const RunLine& before, const RunLine& now);

}  // namespace tocuda
