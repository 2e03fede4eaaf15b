// tocuda, Apache-2.0.
// Commands to type, for this distribution, this GPU and this kind of container.
#pragma once

#include <string>

#include "doctor/seen.hpp"

namespace tocuda::doctor {

// With "sudo" before each command of it, unless the user is root. In a container: to be typed on the host.
std::string as_root(const Seen& seen, const std::string& command);

// Shows what the kernel's log says about the GPUs; `then`: what to do with it.
std::string look_at_log(const Seen& seen, const std::string& then = "");

enum class ModuleKind { any, open, proprietary };

// Installs the driver that the GPU on the bus needs, and the fabric manager where it needs that too.
std::string install_driver(const Seen& seen, ModuleKind kind = ModuleKind::any);

// Builds the module whose sources are installed for the running kernel.
std::string build_module(const Seen& seen);

// Starts the container again with its GPUs.
std::string start_with_gpus(const Seen& seen);

// Removes a package of cuda-compat, which belongs to a container's image where there is one.
std::string remove_compatibility(const Seen& seen);

// Unloads the driver and loads it again, without a reboot.
std::string reload_driver(const Seen& seen);

std::string container_word(Container container);

}  // namespace tocuda::doctor
