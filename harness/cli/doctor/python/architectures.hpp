// tocuda, Apache-2.0.
// Which GPUs can run the code that a build of LibTorch contains. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda::doctor {

// Whether code for an architecture ("sm_86", "sm_90a", "compute_120") runs on a GPU of a compute capability (90
// for 9.0).
bool runs_on(std::string_view architecture, int compute_capability);

// The newest CUDA of LibTorch's published builds with code for the GPU, for `--torch-backend`: "cu126"; nullopt if
// none.
std::optional<std::string> published_build_for(int compute_capability, const std::string& machine);

// 90 for a text that names "NVIDIA H100 80GB HBM3"; nullopt if it names no GPU that is known here.
std::optional<int> capability_of_name(std::string_view text);

// "9.0" for 90.
std::string capability_text(int compute_capability);

}  // namespace tocuda::doctor
