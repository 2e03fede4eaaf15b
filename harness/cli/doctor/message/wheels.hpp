// tocuda, Apache-2.0.
// What is known of published things that a dump names: wheels of PyTorch, branches of the driver. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tocuda::doctor {

// The GPUs that the official wheel of PyTorch for x86 has code for: {"sm_70", ...} for "2.10.0+cu128"; empty where it
// is not known: nightly and own builds, conda packages, which have no such suffix, most wheels for Windows.
std::vector<std::string> architectures_of_wheel(std::string_view torch_version, bool for_windows = false);

// The newest CUDA that a driver supports, by its branch: 12040 for "550.54.15".
std::optional<int> cuda_of_driver(std::string_view driver);

// The oldest driver branch for a version of CUDA, 12080 for 12.8; 0 if it is older than these. From 11 on a branch
// serves each version of its major.
int oldest_driver_for(int cuda);

// The versions of the toolkit whose nvcc compiles for a compute capability. `first` is empty if all old ones do, `last`
// if today's do.
struct Toolkits {
    std::int64_t capability;
    std::string_view first;
    std::string_view last;
};
const Toolkits* toolkits_for(std::int64_t compute_capability);  // null if none is known

// The oldest CUDA that a text names as that of its build: 10000 for "cudatoolkit 10.0", 12010 for "torch 2.1+cu121".
std::optional<int> cuda_named_in(std::string_view text);

// {2, 5} of "Torch: 2.5.0+cu124", "PyTorch version: 2.5.1": the first PyTorch that a text names.
std::optional<std::pair<int, int>> torch_named_in(std::string_view text);

// {2, 4} for "2.4.1"; the versions of PyTorch that a version of torchvision or torchaudio was published with; nullopt
// if it is none of the three, or too old.
std::optional<std::pair<int, int>> torch_of(std::string_view package, std::string_view version);

// Whether PyTorch has, or had, an index for this CUDA: 118 for "cu118".
bool has_index(std::int64_t cuda);

// The builds that were published of a version of PyTorch: {"cu118", "cu121"} for {2, 3}.
std::vector<std::string> builds_of(std::pair<int, int> torch);

// The oldest and the newest Python that a version of PyTorch has builds for: {8, 11} for 3.8 to 3.11.
std::pair<int, int> pythons_of(std::pair<int, int> torch);

// The Python whose oldest PyTorch build is this one: 12 for {2, 2}; 0 if there is none.
int python_since(std::pair<int, int> torch);

// The release of xformers that is built for this release of PyTorch; empty: unknown.
std::string_view xformers_for(std::string_view torch_version);

struct WheelChoice {
    std::string build{};   // "cu126"; empty: no published build has code for the GPU
    int driver_needed{0};  // the branch to install first; 0: the driver that is there will do
};

// The newest published build that this driver runs, with code for GPUs of these compute capabilities (empty: unknown).
WheelChoice wheel_for(std::optional<int> driver_cuda, const std::vector<int>& compute_capabilities);

}  // namespace tocuda::doctor
