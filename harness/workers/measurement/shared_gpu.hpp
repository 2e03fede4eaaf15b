// tocuda, Apache-2.0.
// Flags for rows of a GPU that is divided (MIG), or shared by the processes of a server (MPS).
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

inline constexpr const char* mig_flag = "mig_instance";
inline constexpr const char* mps_flag = "mps_server";

// Where the daemon of MPS listens.
inline std::filesystem::path mps_control() {
    const char* folder = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
    return std::filesystem::path(folder && *folder ? folder : "/tmp/nvidia-mps") / "control";
}

// `mps` is what the driver says of this process. Older ones do not say: then it counts whether the daemon listens.
inline Flags sharing_flags(bool mig, std::optional<bool> mps, const std::filesystem::path& control) {
    Flags flags;
    std::error_code unreadable;
    if (mig) flags.emplace_back(mig_flag);
    if (mps.value_or(std::filesystem::exists(control, unreadable))) flags.emplace_back(mps_flag);
    return flags;
}

}  // namespace tocuda
