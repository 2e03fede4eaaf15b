// tocuda, Apache-2.0.
// The output of collect_env, of PyTorch and vLLM, read by its keys.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "doctor/message/dump_lines.hpp"

namespace tocuda::doctor {

// A key that is not in the paste has no value; one that collect_env could not collect says so.
struct Environment {
    std::optional<std::string> torch{};
    std::optional<std::string> cuda{};  // that PyTorch was built for
    std::optional<std::string> hip{};
    std::optional<std::string> xpu{};
    std::optional<std::string> system{};    // "Ubuntu 22.04.5 LTS (x86_64)"
    std::optional<std::string> platform{};  // "Linux-5.10.120-tegra-aarch64-with-glibc2.29"
    std::optional<std::string> python{};
    std::optional<std::string> available{};  // "True", "Yes", "False", "N/A"
    std::optional<std::string> gpus{};       // the value of their line; their names follow it
    std::optional<std::string> driver{};
    std::vector<std::string> gpu_names{};
    std::string package{};                     // the version of "[pip3] torch==2.6.0"
    std::set<std::string> library_majors{};    // "11", "12": of NVIDIA's packages
    std::vector<std::string> architectures{};  // that a warning of PyTorch lists
    std::string initialization{};              // what a warning says about the initialization of CUDA
    bool imports_torch = false;                // a traceback shows files of torch itself
    bool conda = false;                        // its Python or its torch

    bool is_available() const;
    bool is_unavailable() const;
    bool is_windows() const;
    bool is_macos() const;
    bool is_wsl() const;
    bool is_jetson() const;
    std::string torch_version() const;              // empty if it is not known
    std::optional<std::string> cuda_build() const;  // "12.4", if it is known to be built for CUDA
    std::optional<std::string> hip_build() const;
    bool xpu_build() const;
    bool has_no_cuda() const;   // it is known to be built without
    bool sees_nothing() const;  // neither a driver nor a GPU
    bool has_driver() const;
    std::vector<int> capabilities() const;  // of the GPUs whose names are known
};

// Each output of collect_env in plain lines; keys of one may have any prefix, and be cut at both ends.
std::vector<Environment> read_environments(const Lines& lines);

}  // namespace tocuda::doctor
