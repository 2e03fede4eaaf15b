// tocuda, Apache-2.0.
// NVIDIA's kernel module: loaded, built for this kernel, and of the kind and branch that the GPU needs.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "doctor/checks.hpp"
#include "doctor/generation.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto module_check = "kernel module";
constexpr int first_without_volta = 590;

int branch_of(const std::string& version) {
    int branch = 0;
    std::from_chars(version.data(), version.data() + version.size(), branch);
    return branch;
}

// A module refuses GPUs that its branch or its kind does not know; cuInit then finds no device.
std::optional<Finding> unfit(const Seen& seen) {
    const auto& kernel = seen.kernel;
    const bool open = kernel.flavour == "open";
    for (const auto& gpu : seen.bus.gpus) {
        const auto generation = generation_of(gpu.device);
        if (generation == Generation::unknown) continue;
        const auto at = fmt::format("the {} GPU (10de:{:04x}) at {}", word(generation), gpu.device, gpu.address);
        if (generation < Generation::turing && branch_of(*kernel.version) >= first_without_volta)
            return fault(
                module_check,
                fmt::format("driver {} no longer supports {}: 580 is the last branch that does", *kernel.version, at),
                install_driver(seen, ModuleKind::proprietary));
        if (generation < Generation::turing && open)
            return fault(module_check, fmt::format("the open module {} does not support {}", *kernel.version, at),
                         install_driver(seen, ModuleKind::proprietary));
        if (generation == Generation::blackwell && kernel.flavour == "proprietary")
            return fault(module_check,
                         fmt::format("the proprietary module {} does not support {}", *kernel.version, at),
                         install_driver(seen, ModuleKind::open));
    }
    return std::nullopt;
}

Findings of_loaded(const Seen& seen) {
    const auto& kernel = seen.kernel;
    if (!seen.probe.usable())
        if (auto found = unfit(seen)) return {*std::move(found)};
    return {ok(module_check, fmt::format("{}{} is loaded", *kernel.version,
                                         kernel.flavour ? " (" + *kernel.flavour + ")" : std::string()))};
}

Finding not_loaded_though_built(const Seen& seen) {
    const auto& kernel = seen.kernel;
    if (!kernel.blacklists.empty()) {
        const auto& line = kernel.blacklists.front();
        const auto file = line.substr(0, line.find(':'));
        const bool prime = file.find("nvidia-installer") == std::string::npos && seen.around.system == "ubuntu";
        return fault(module_check, "the module is kept from loading by " + line,
                     prime ? as_root(seen, "prime-select nvidia") + "   (or remove that line; then reboot)"
                           : as_root(seen, fmt::format("sed -i '/nvidia/d' {} && modprobe nvidia", file)));
    }
    if (kernel.secure_boot)
        return fault(module_check,
                     fmt::format("the module for kernel {} is not loaded, and Secure Boot refuses modules that are not "
                                 "signed",
                                 kernel.release),
                     as_root(seen, "mokutil --import /var/lib/shim-signed/mok/MOK.der") +
                         "   (then reboot and enrol the key; or switch Secure Boot off in the firmware)");
    return fault(module_check, fmt::format("the module for kernel {} is on disk but not loaded", kernel.release),
                 as_root(seen, "modprobe nvidia && nvidia-modprobe -c 0 -u"));
}

Findings of_absent(const Seen& seen) {
    const auto& kernel = seen.kernel;
    if (std::ranges::find(kernel.built_for, kernel.release) != kernel.built_for.end())
        return {not_loaded_though_built(seen)};
    if (!kernel.built_for.empty())
        return {fault(module_check,
                      fmt::format("the module is built for kernel {}, but {} is running", kernel.built_for.back(),
                                  kernel.release),
                      build_module(seen))};
    if (!kernel.sources.empty())
        return {fault(module_check,
                      fmt::format("the module {} was not built for kernel {}: DKMS has its sources only",
                                  kernel.sources.back(), kernel.release),
                      build_module(seen))};
    if (seen.probe.library)
        return {fault(module_check,
                      fmt::format("{} is installed, but no kernel module for {}", *seen.probe.library, kernel.release),
                      install_driver(seen))};
    return {};  // nothing of the driver is installed: the missing library says so
}

}  // namespace

Findings check_module(const Seen& seen) {
    if (seen.around.wsl || seen.around.tegra || seen.simulated()) return {};
    if (seen.kernel.version) return of_loaded(seen);
    // In a container /proc may hide the host's module, and /lib/modules is the image's own.
    if (seen.probe.usable() || seen.kernel.modules.contains("nvidia") || seen.around.container != Container::none)
        return {};
    return of_absent(seen);
}

}  // namespace tocuda::doctor
