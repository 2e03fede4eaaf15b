// tocuda, Apache-2.0.
// The GPUs on the PCI bus: whether there is one, what the kernel bound to it, and whether it has power and addresses.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/checks.hpp"
#include "doctor/generation.hpp"
#include "doctor/remedies.hpp"
#include "machine/pci_address.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto bus_check = "PCI";

std::string named(const PciGpu& gpu) {
    if (gpu.device == 0) return gpu.name.empty() ? "a GPU" : gpu.name;
    const auto id = fmt::format("10de:{:04x}", gpu.device);
    const auto name = board_name(gpu.device);
    const auto generation = generation_of(gpu.device);
    if (name.empty() && !gpu.name.empty()) return fmt::format("{} ({})", gpu.name, id);
    if (!name.empty()) return fmt::format("{} ({})", name, id);
    return generation == Generation::unknown ? "a GPU (" + id + ")"
                                             : fmt::format("{} {} GPU ({})", article(generation), word(generation), id);
}

Finding no_gpu(const Seen& seen) {
    auto evidence = fmt::format("no NVIDIA GPU among the {} devices on the PCI bus", seen.bus.devices);
    if (!seen.probe.library) evidence += ", and no driver: libcuda.so.1 is not found";
    else evidence += fmt::format("; cuInit answers {}", seen.probe.init.value_or(-1));
    return fault(
        bus_check, evidence,
        "use a machine with an NVIDIA GPU; to a virtual machine, pass one through on its host   (`grep -l 0x10de "
        "/sys/bus/pci/devices/*/vendor` tells if there is one)");
}

std::optional<Finding> not_for_nvidia(const Seen& seen, const PciGpu& gpu) {
    const auto at = named(gpu) + " at " + gpu.address;
    if (gpu.driver == "nouveau" || gpu.driver == "nova_core" || gpu.driver == "nova")
        return fault(bus_check, fmt::format("{} is bound to {}, not to NVIDIA's driver", at, gpu.driver),
                     fmt::format("{}; {}   (then reboot)", install_driver(seen),
                                 as_root(seen, fmt::format("sh -c 'echo blacklist {0} > /etc/modprobe.d/no-{0}.conf'",
                                                           gpu.driver))));
    if (gpu.driver == "vfio-pci")
        return fault(bus_check, at + " is bound to vfio-pci: it is reserved for a virtual machine",
                     as_root(seen, fmt::format("driverctl unset-override {}", gpu.address)) +
                         "   (or remove its id from vfio-pci.ids= on the kernel's command line)");
    if (gpu.power_state == "D3cold")
        return fault(
            bus_check, at + " is switched off (D3cold)",
            as_root(seen, fmt::format("sh -c 'echo on > /sys/bus/pci/devices/{}/power/control'", gpu.address)));
    if (!gpu.unplaced_bars.empty())
        return fault(bus_check,
                     fmt::format("{} got no address for its memory window {}", at, gpu.unplaced_bars.front()),
                     "reboot with Above 4G Decoding and Resizable BAR switched on in the firmware   (or pci=realloc on "
                     "the kernel's command line)");
    return std::nullopt;
}

Finding all_well(const Seen& seen) {
    const auto& first = seen.bus.gpus.front();
    auto evidence = fmt::format("{} at {}", named(first), first.address);
    if (seen.bus.gpus.size() > 1) evidence += fmt::format(" and {} more", seen.bus.gpus.size() - 1);
    if (!first.driver.empty()) evidence += ", bound to " + first.driver;
    return ok(bus_check, evidence);
}

// GPUs that the kernel has given to NVIDIA's module, and that it did not start: a container is given some on purpose.
std::optional<Finding> left_out(const Seen& seen) {
    if (seen.around.container != Container::none || !seen.probe.nvml_devices || seen.probe.nvml_gpus.empty())
        return std::nullopt;
    std::string places;
    std::size_t missing = 0;
    for (const auto& gpu : seen.bus.gpus) {
        const bool started = std::ranges::any_of(
            seen.probe.nvml_gpus, [&](const GpuHealth& one) { return !one.pci || same_place(*one.pci, gpu.address); });
        if (started || gpu.driver != "nvidia") continue;
        places += (places.empty() ? "" : ", ") + gpu.address;
        ++missing;
    }
    if (missing == 0) return std::nullopt;
    return warning(
        bus_check,
        fmt::format("{} GPUs are on the bus, {} in the driver: it did not start {}", seen.bus.gpus.size(),
                    seen.probe.nvml_gpus.size(), places),
        look_at_log(seen, "the module says there why; a GPU that has fallen off the bus needs the power off"));
}

}  // namespace

Findings check_bus(const Seen& seen) {
    if (seen.around.wsl || seen.around.tegra || seen.simulated()) return {};
    const bool usable = seen.probe.usable();
    if (seen.bus.devices == 0) {
        if (usable) return {};
        return {unknown(bus_check, "the PCI bus is not shown here (/sys/bus/pci/devices is empty)")};
    }
    if (seen.bus.gpus.empty()) {
        const bool no_driver = seen.probe.finished && !seen.probe.library;
        if (usable || (!no_driver && seen.probe.init != 100)) return {};
        return {no_gpu(seen)};
    }
    Findings findings;
    for (const auto& gpu : seen.bus.gpus)
        if (auto found = not_for_nvidia(seen, gpu)) findings.push_back(*std::move(found));
    // Another GPU works: one that is kept back or asleep is none of our business, unless nothing else does.
    if (usable)
        for (auto& one : findings) one.state = State::warning;
    if (findings.size() < seen.bus.gpus.size() || usable) findings.insert(findings.begin(), all_well(seen));
    if (auto some = left_out(seen); some && usable) findings.push_back(*std::move(some));
    return findings;
}

}  // namespace tocuda::doctor
