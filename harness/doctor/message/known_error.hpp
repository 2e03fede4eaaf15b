// tocuda, Apache-2.0.
// The errors that explain() knows, by family, in the order of LibTorch's own steps.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/explanation.hpp"

namespace tocuda::doctor {

struct KnownError {
    std::string_view name;
    std::vector<std::string_view> needles;  // any of them identifies the error
    std::string_view meaning;
    std::vector<std::string_view> claims{};
    std::vector<std::string_view> remedies{};
    // Reads figures from the text, in which the needle is at `at`, and may add to the remedies.
    void (*read)(std::string_view text, std::size_t at, Explanation& told) = nullptr;
    // Whether the needle at `at` is this error; if absent, it always is.
    bool (*applies)(std::string_view text, std::size_t at) = nullptr;
    // Usually follows from another error. Explained only if the text has no other.
    bool consequence = false;
};

std::vector<KnownError> driver_errors();   // the driver is absent, too old, or does not answer
std::vector<KnownError> library_errors();  // the build and its shared libraries
std::vector<KnownError> memory_errors();   // memory of the GPU and of the host
std::vector<KnownError> kernel_errors();   // what goes wrong on the GPU
std::vector<KnownError> usage_errors();    // what the program asks of LibTorch
std::vector<KnownError> group_errors();    // several GPUs and processes: NCCL, peer access, MPS
std::vector<KnownError> system_errors();   // the kernel's log, nvidia-smi, containers

}  // namespace tocuda::doctor
