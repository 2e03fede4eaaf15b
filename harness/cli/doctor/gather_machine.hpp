// tocuda, Apache-2.0.
// Reads what /proc, /sys, /dev, /etc and /lib show of the machine. Opens no device and calls no driver. Each function
// takes the folder that contains them: "/", or one that a test made.
#pragma once

#include <filesystem>
#include <vector>

#include "doctor/seen.hpp"

namespace tocuda::doctor {

Bus see_bus(const std::filesystem::path& root);
KernelSide see_kernel(const std::filesystem::path& root);
KernelLog see_kernel_log(const std::filesystem::path& root);
std::vector<DeviceNode> see_nodes(const std::filesystem::path& root);
std::vector<DriverLibrary> see_libraries(const std::filesystem::path& root, const Variables& variables);
Surroundings see_surroundings(const std::filesystem::path& root, const Variables& variables);

// All of them. What the driver answers is not known yet.
Seen see_machine(const std::filesystem::path& root, Variables variables);

}  // namespace tocuda::doctor
