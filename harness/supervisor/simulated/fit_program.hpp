// tocuda, Apache-2.0.
// The program whose memory is asked for: run on simulated GPUs, with its allocator recorded.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/temporary_folder.hpp"
#include "simulated/fitting.hpp"
#include "simulated/simulated_run.hpp"

namespace tocuda {

struct FitRun {
    SimulatedEnd end{};
    std::vector<std::string> recordings{};
    bool ran_out_of_memory = false;

    bool survived() const { return end.code == 0 && !ran_out_of_memory; }
};

// "ended with 3", "was ended by signal 11 (SIGSEGV)".
std::string ended_words(int code);

// Each GPU has so much memory, all of it free.
SimulatedMachine with_memory(SimulatedMachine machine, std::int64_t bytes);

// The words run in a shell that silences them; the last of what they write to stderr is shown if they fail.
Words silenced(const Words& command);

class FitProgram {
public:
    explicit FitProgram(const Fitting& its) : asked(its) {}

    // The recordings go to `record`, as `simulate --record` names them; empty: to a folder that goes with this.
    OrExit<FitRun> run(const SimulatedMachine& machine, const Words& command, const std::string& record = "") const;

    // The first time it has the terminal, and writes the recording that was asked for.
    OrExit<FitRun> run_with_plenty(const SimulatedMachine& machine);

    // On the target as it is, with its own memory.
    OrExit<FitOwnRun> run_on(FitTarget target, const Words& command) const;

    OrExit<FitRun> run_again(const SimulatedMachine& machine, std::int64_t bytes) const;

private:
    const Fitting& asked;
    const TemporaryFolder folder;
    bool shown = false;                           // the program has had the terminal
    std::optional<std::chrono::seconds> limit{};  // of silent runs: where one process ends, others may wait for it
};

}  // namespace tocuda
