// tocuda, Apache-2.0.
// When the NVIDIA kernel module was loaded, and what it is. The module starts a thread of its own as it is loaded, and
// the kernel keeps the start of each thread; the times of files under /sys and /proc are those of the first look at
// them.
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

// Version and flavour, of the text of /proc/driver/nvidia/version.
Driver kernel_module_of(std::string_view text);

// The start of a process, in clock ticks since the boot, of the text of /proc/PID/stat.
std::optional<std::int64_t> start_ticks_of(std::string_view stat);

}  // namespace tocuda
