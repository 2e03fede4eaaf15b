// tocuda, Apache-2.0.
// Runs the checks in the order of their causes, which is that of LibTorch's own gates. What a fault hides is unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/findings_by_state.hpp"
#include "doctor/seen.hpp"

namespace tocuda::doctor {

// In causal order: the first fault is the cause.
std::vector<Finding> diagnose(const Seen& seen);

// The first fault, the most likely cause of the others; one of a single GPU only where there is no other. Null if there
// is none.
const Finding* cause_of(const std::vector<Finding>& findings);

// "NVIDIA H200 and 7 more (driver 580.95.05, CUDA 13.0)"; "7 of 8 GPUs" if one has a fault; "SIMULATED ..." if the
// driver is tocuda's own.
std::string gpus_in_words(const Seen& seen);

// What LibTorch answers a program that moves a tensor to the GPU.
struct LibTorchWords {
    std::string text;
    std::vector<std::string> claims;  // whose scenarios show it
};
// With this cause, null if there is none.
std::optional<LibTorchWords> what_libtorch_says(const Seen& seen, const Finding* cause, bool built_with_cuda = true);

}  // namespace tocuda::doctor
