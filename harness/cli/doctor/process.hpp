// tocuda, Apache-2.0.
// A running process: the variables it was started with, and the CUDA and LibTorch libraries that it has mapped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "doctor/checks.hpp"

namespace tocuda::doctor {

struct ProcessSeen {
    int id = 0;
    std::string program{};                 // the file it runs; empty if it cannot be read
    std::optional<Variables> variables{};  // nullopt if they cannot be read: another user's process
    std::vector<std::string> libraries{};  // of CUDA and LibTorch, each once; replaced ones end in " (deleted)"
    bool cuda_beside_torch = false;        // libtorch_cuda.so lies beside the LibTorch that is mapped
};

// nullopt if there is no such process.
std::optional<ProcessSeen> see_process(const std::filesystem::path& root, int id);

Findings check_process(const ProcessSeen& process);

}  // namespace tocuda::doctor
