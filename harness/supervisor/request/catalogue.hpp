// tocuda, Apache-2.0.
// Finds the workers beside this program, and reads which scenarios and benchmarks each of them has.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/scenario.hpp"

namespace tocuda {

struct Worker {
    std::string name;
    std::filesystem::path program;
    std::string trouble{};  // why it cannot be used; empty if it can
    std::map<std::string, std::string> built_with{};
    std::vector<Scenario> scenarios{};
    std::vector<Benchmark> benchmarks{};
    std::string unmet{};        // what it needs and what was found, if that is not the same; or why it is not built
    Environment environment{};  // to start it with; the libraries of fakes come before its own
};

struct Catalogue {
    std::vector<Worker> workers{};
    std::vector<std::string> left_out{};  // "tocuda-cuda: no CUDA compiler was found when this was built"

    const Scenario* find(const std::string& name) const;
};

// The worker's program. If GPUs are simulated, the build whose kernels run on the CPU, if there is one.
std::string program_of(const Worker& worker, bool simulated);

// Returns what the documents say, by claim.
std::map<std::string, std::string> statements_of(const Catalogue& catalogue);

// Returns the folders of workers: $TOCUDA_WORKERS (a list separated by colons) or this program's own.
std::vector<std::filesystem::path> worker_folders();

// Reads the descriptions beside the workers. A worker that changed since is run to describe itself again.
Catalogue load_catalogue(const std::vector<std::filesystem::path>& folders, bool quiet = false);

}  // namespace tocuda
