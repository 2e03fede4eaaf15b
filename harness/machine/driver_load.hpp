// tocuda, Apache-2.0.
// When the NVIDIA kernel module was loaded, and its version. The module starts a kernel thread when it is loaded, and
// the kernel records the start of each thread. File times under /sys and /proc would not help: they are those of the
// first access.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "model/machine.hpp"

namespace tocuda {

struct DriverLoad {
    std::int64_t ticks_since_boot = 0;
    std::optional<std::string> time{};  // UTC
};

std::optional<DriverLoad> driver_load(const std::filesystem::path& proc);

// Returns version and flavour from the text of /proc/driver/nvidia/version.
Driver kernel_module_of(std::string_view text);

// Returns the start of a process in clock ticks since boot, from the text of /proc/PID/stat.
std::optional<std::int64_t> start_ticks_of(std::string_view stat);

}  // namespace tocuda
