// tocuda, Apache-2.0.
// Chooses, among kept recordings, those that say what is normal for a machine. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

struct KeptRecording {
    std::string file{};
    RunLine run{};                   // the first of the file
    std::set<std::string> common{};  // ids of its rows that are also among those to judge
};

struct Normal {
    std::string machine{};  // "NVIDIA H200, driver 580.95.05 (CUDA 13.0)"
    std::vector<std::string> files{};
};

// Returns no files if no recording is of the same GPU model: simulated GPUs say nothing about real ones. Otherwise all
// recordings with the same driver, GPUs, LibTorch and system, as near to those of `run` as there are, in this order; of
// several those with the most rows in common, then the newest.
Normal normal_for(const RunLine& run, const std::vector<KeptRecording>& kept);

// "NVIDIA H200", "simulated NVIDIA H200", "no GPU"; several models are separated by commas.
std::string models_of(const RunLine& run);

}  // namespace tocuda
