// tocuda, Apache-2.0.
#include "doctor/remedies.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "doctor/generation.hpp"

namespace tocuda::doctor {
namespace {

constexpr int branch = 580;  // the last for Maxwell, Pascal and Volta, and enough for CUDA 13

bool is_like(const Surroundings& around, std::string_view system) {
    return around.system == system ||
           (" " + around.like + " ").find(" " + std::string(system) + " ") != std::string::npos;
}

bool has_fabric(const Bus& bus) {
    return bus.switches > 0 ||
           std::ranges::any_of(bus.gpus, [](const PciGpu& gpu) { return needs_fabric_manager(gpu.device); });
}

// Turing and newer run with the open module, Blackwell with nothing else; older ones do not run with it.
bool wants_open(const Bus& bus, ModuleKind kind) {
    if (kind != ModuleKind::any) return kind == ModuleKind::open;
    return std::ranges::all_of(bus.gpus, [](const PciGpu& gpu) {
        const auto generation = generation_of(gpu.device);
        return generation == Generation::unknown || generation >= Generation::turing;
    });
}

std::string on_ubuntu(bool open, bool fabric) {
    const auto* server = fabric ? "-server" : "";
    auto command = fmt::format("apt install nvidia-driver-{}{}{}", branch, server, open ? "-open" : "");
    if (fabric) command += fmt::format(" nvidia-fabricmanager-{}", branch);
    return command;
}

}  // namespace

std::string as_root(const Seen& seen, const std::string& command) {
    const bool inside = seen.around.container != Container::none;
    auto text = command;
    if (inside || !seen.around.root) {
        constexpr std::string_view next = " && ";
        text.insert(0, "sudo ");
        for (auto at = text.find(next); at != std::string::npos; at = text.find(next, at + next.size()))
            text.insert(at + next.size(), "sudo ");
    }
    return inside ? text + "   (on the host)" : text;
}

std::string look_at_log(const Seen& seen, const std::string& then) {
    return as_root(seen, "dmesg | grep -i -e nvrm -e xid") + (then.empty() ? "" : "   (" + then + ")");
}

std::string remove_compatibility(const Seen& seen) {
    return std::string(seen.around.root ? "" : "sudo ") + "apt remove 'cuda-compat-*'";
}

std::string install_driver(const Seen& seen, ModuleKind kind) {
    const auto& around = seen.around;
    if (around.tegra) return as_root(seen, "apt install nvidia-l4t-cuda");
    const bool open = wants_open(seen.bus, kind);
    const bool fabric = has_fabric(seen.bus);
    const auto with_fabric = [&](std::string command) { return fabric ? command + " nvidia-fabricmanager" : command; };
    std::string command;
    if (is_like(around, "ubuntu")) command = on_ubuntu(open, fabric);
    else if (is_like(around, "debian"))
        command = open ? with_fabric("apt install nvidia-open") : fmt::format("apt install cuda-drivers-{}", branch);
    else if (is_like(around, "fedora") || is_like(around, "rhel"))
        command = open ? with_fabric("dnf install nvidia-open") : fmt::format("dnf install cuda-drivers-{}", branch);
    else if (is_like(around, "suse") || is_like(around, "opensuse") || is_like(around, "sles"))
        command = open ? "zypper install nvidia-open" : fmt::format("zypper install cuda-drivers-{}", branch);
    else if (is_like(around, "arch"))
        command = open ? "pacman -S nvidia-open nvidia-utils" : "yay -S nvidia-580xx-dkms";
    else return fmt::format("install NVIDIA's driver, version {} or newer: https://www.nvidia.com/drivers", branch);
    if (!is_like(around, "ubuntu") && !is_like(around, "arch"))
        command += "   (from NVIDIA's repository: https://developer.nvidia.com/cuda-downloads)";
    else if (fabric) command += "   (this GPU needs both, of one version)";
    return as_root(seen, command);
}

std::string build_module(const Seen& seen) {
    if (seen.kernel.headers) return as_root(seen, "dkms autoinstall && modprobe nvidia");
    if (is_like(seen.around, "debian") || is_like(seen.around, "ubuntu"))
        return as_root(seen, "apt install linux-headers-$(uname -r) && dkms autoinstall");
    return as_root(seen, "dnf install kernel-devel-$(uname -r) && dkms autoinstall");
}

std::string start_with_gpus(const Seen& seen) {
    switch (seen.around.container) {
        case Container::kubernetes:
            return "kubectl describe node | grep nvidia.com/gpu   (then request it: resources: limits: nvidia.com/gpu: "
                   "1)";
        case Container::podman:
            return "podman run --device nvidia.com/gpu=all ...   (once, on the host: sudo nvidia-ctk cdi generate "
                   "--output=/etc/cdi/nvidia.yaml)";
        case Container::apptainer:
            return "apptainer exec --nv IMAGE COMMAND";
        case Container::lxc:
            return "lxc config device add CONTAINER gpu gpu   (on the host; with nvidia.runtime=true)";
        default:
            return "docker run --gpus all ...   (once, on the host: sudo nvidia-ctk runtime configure --runtime=docker "
                   "&& sudo systemctl restart docker)";
    }
}

std::string reload_driver(const Seen& seen) {
    if (seen.around.container != Container::none)
        return "docker restart CONTAINER   (the libraries passed in are those of the start; if it stays, reload the "
               "driver on the host: sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe "
               "nvidia)";
    return as_root(seen, "modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && modprobe -a nvidia nvidia_uvm") +
           "   (while no program uses a GPU; or reboot)";
}

std::string container_word(Container container) {
    switch (container) {
        case Container::docker:
            return "a Docker container";
        case Container::podman:
            return "a Podman container";
        case Container::kubernetes:
            return "a Kubernetes pod";
        case Container::apptainer:
            return "an Apptainer container";
        case Container::lxc:
            return "an LXC container";
        default:
            return "a container";
    }
}

}  // namespace tocuda::doctor
