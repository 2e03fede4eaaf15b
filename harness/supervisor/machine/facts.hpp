// tocuda, Apache-2.0.
// Reads what the operating system reports about the machine and the NVIDIA kernel module from /proc, /sys and /etc.
// Calls no driver, so it cannot hang or crash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// Returns the start of a process in clock ticks since boot, from the text of /proc/PID/stat.
std::optional<std::int64_t> start_ticks_of(std::string_view stat);

struct Facts {
    Machine machine{};
    Driver driver{};
    std::optional<std::string> boot{};           // changes with each boot of the machine
    std::optional<std::string> driver_loaded{};  // UTC
    // The load time in clock ticks since boot, which does not change when the clock is set. For begin_session.
    std::string load_mark{};
    std::vector<Unavailable> unavailable{};
};

// `root` is the folder that contains proc, sys and etc.
Facts read_facts(const std::filesystem::path& root = "/");

}  // namespace tocuda
