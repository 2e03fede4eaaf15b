// tocuda, Apache-2.0.
// What the operating system says of this machine and of its NVIDIA kernel module, read from /proc, /sys and /etc: no
// driver is called, so nothing here can hang or crash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

struct Facts {
    Machine machine{};
    Driver driver{};
    std::optional<std::string> boot{};           // changes with each start of the machine
    std::optional<std::string> driver_loaded{};  // UTC
    // The same in clock ticks since the boot: unlike the time, it does not move when the clock is set. For
    // begin_session.
    std::string load_mark{};
    std::vector<Unavailable> unavailable{};
};

// `root` is where /proc, /sys and /etc are looked for.
Facts read_facts(const std::filesystem::path& root = "/");

}  // namespace tocuda
