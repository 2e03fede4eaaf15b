// tocuda, Apache-2.0.
// Notes on GPUs that work: errors in the kernel's log, limits on power, links, the IOMMU, shared memory and channels to
// other nodes. None of them is a fault.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "doctor/checks.hpp"
#include "doctor/remedies.hpp"
#include "doctor/xid_meanings.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto log_check = "kernel log";
constexpr auto link_check = "PCIe link";
constexpr auto iommu_check = "IOMMU";
constexpr long little_shared_memory_mib = 1024;
constexpr std::string_view channel_begin = "/dev/nvidia-caps-imex-channels/channel";

// What a program did wrong, not the GPU.
constexpr std::array of_programs{11, 13, 25, 31, 32, 43, 45, 69, 137};

bool is_of_a_program(const Xid& xid) { return std::ranges::find(of_programs, xid.number) != of_programs.end(); }

std::string listed(const std::vector<Xid>& xids) {
    std::string text;
    for (const auto& xid : xids) {
        text += fmt::format("{}Xid {} of {}", text.empty() ? "" : ", ", xid.number, xid.address);
        if (xid.times > 1) text += fmt::format(" ({} times)", xid.times);
    }
    return text;
}

// Those of the GPU, the one that asks for most first.
Finding of_the_gpu(const Seen& seen, std::vector<Xid> xids) {
    std::ranges::stable_sort(xids, std::greater{}, [](const Xid& xid) { return xid_meaning(xid.number).action; });
    const auto& [number, address, times] = xids.front();
    const auto [what, action] = xid_meaning(number);
    return warning(
        log_check,
        fmt::format("{}: {}, from the GPU, its driver or its link; {}: {}", seen.log.file, listed(xids), number, what),
        fmt::format("{}   (NVIDIA's catalogue of Xids says of {}: {})", as_root(seen, "dmesg | grep -i xid"), number,
                    word(action)));
}

bool ran_kernels(const GpuHealth* health) { return health && health->busy_percent.value_or(0) > 0; }

bool is_narrow(const PcieLink& link) {
    return (link.width && link.width_max && *link.width < *link.width_max) ||
           (link.generation && link.generation_max && *link.generation < *link.generation_max);
}

std::string in_words(const Gpu& gpu) {
    const auto& link = gpu.pcie;
    return fmt::format("cuda:{} runs at PCIe {} x{} of {} x{}", gpu.index, link.generation.value_or(0),
                       link.width.value_or(0), link.generation_max.value_or(0), link.width_max.value_or(0));
}

bool is_translated(const PciGpu& gpu) { return gpu.iommu.starts_with("DMA"); }

}  // namespace

Findings check_kernel_log(const Seen& seen) {
    const bool has_driver = seen.kernel.version || seen.probe.usable();
    if (!has_driver || seen.simulated() || seen.around.wsl) return {};
    const auto& log = seen.log;
    if (log.file.empty())
        return {unknown(log_check, fmt::format("cannot be read here{}: Xid errors are not known",
                                               !seen.around.root                          ? " without root"
                                               : seen.around.container == Container::none ? ""
                                                                                          : ", in a container"))};
    Findings findings;
    std::vector<Xid> others, programs;
    std::ranges::partition_copy(log.xids, std::back_inserter(programs), std::back_inserter(others), is_of_a_program);
    if (!others.empty()) findings.push_back(of_the_gpu(seen, others));
    if (!programs.empty())
        findings.push_back(ok(
            log_check, fmt::format("{}: {}: errors of programs, such as wrong addresses", log.file, listed(programs))));
    return findings;
}

Findings check_power(const Seen& seen) {
    Findings findings;
    const auto& gpus = seen.probe.gpus;
    for (std::size_t i = 0; i < std::min(gpus.size(), seen.probe.cuda_gpus.size()); ++i) {
        const auto* health = health_of(seen, seen.probe.cuda_gpus[i]);
        if (!health || !health->power_default_w || !gpus[i].power_limit_w) continue;
        if (*gpus[i].power_limit_w + 1 < *health->power_default_w)
            findings.push_back(warning(
                "power limit",
                fmt::format("cuda:{} is limited to {:.0f} W; its default is {:.0f} W", gpus[i].index,
                            *gpus[i].power_limit_w, *health->power_default_w),
                as_root(seen, fmt::format("nvidia-smi -i {} -pl {:.0f}", health->index, *health->power_default_w))));
    }
    return findings;
}

// An idle GPU turns its link down, so that only a busy one shows what its link does.
Findings check_link(const Seen& seen) {
    Findings findings;
    std::string idle;
    int more = 0;
    const auto& gpus = seen.probe.gpus;
    for (std::size_t i = 0; i < std::min(gpus.size(), seen.probe.cuda_gpus.size()); ++i) {
        if (!is_narrow(gpus[i].pcie)) continue;
        const auto* health = health_of(seen, seen.probe.cuda_gpus[i]);
        if (ran_kernels(health))
            findings.push_back(warning(link_check, in_words(gpus[i]) + " under load",
                                       fmt::format("nvidia-smi -q -i {} | grep -A 20 'GPU Link Info'   (then try "
                                                   "another slot, or seat the board again)",
                                                   health->index)));
        else if (idle.empty()) idle = in_words(gpus[i]);
        else ++more;
    }
    if (!idle.empty())
        findings.push_back(
            ok(link_check,
               idle + (more > 0 ? fmt::format(", and {} more are slower than they can be", more) : std::string()) +
                   ": idle, not judged"));
    return findings;
}

Findings check_iommu(const Seen& seen) {
    const auto& gpus = seen.bus.gpus;
    const auto translated = std::ranges::count_if(gpus, is_translated);
    if (translated == 0 || seen.simulated()) return {};
    const auto& mode = std::ranges::find_if(gpus, is_translated)->iommu;
    if (translated == 1) return {ok(iommu_check, fmt::format("it translates the addresses of one GPU ({})", mode))};
    return {warning(iommu_check,
                    fmt::format("it translates the addresses of {} GPUs ({}): some machines then lose what one GPU "
                                "sends to another, or send it by way of the CPU",
                                translated, mode),
                    "tocuda doctor --deep   (checks it; iommu=pt on the kernel's command line switches it off)")};
}

Findings check_shared_memory(const Seen& seen) {
    const auto& shared = seen.around.shared_memory_mib;
    if (!shared || *shared >= little_shared_memory_mib || !seen.probe.usable() || seen.simulated()) return {};
    return {warning("shared memory", fmt::format("/dev/shm has {} MiB: data loaders with workers need more", *shared),
                    seen.around.container == Container::none ? as_root(seen, "mount -o remount,size=50% /dev/shm")
                                                             : "docker run --ipc=host ...   (or --shm-size=8g)")};
}

std::optional<Finding> no_imex_channel(const Seen& seen) {
    std::optional<Finding> closed;
    for (const auto& node : seen.nodes) {
        if (!node.path.starts_with(channel_begin)) continue;
        if (node.error == 0) return std::nullopt;
        closed =
            warning("IMEX", node.path + " may not be opened by this user", as_root(seen, "chmod 666 " + node.path));
    }
    if (closed) return closed;
    return warning("IMEX", fmt::format("there is no {}N", channel_begin),
                   seen.around.container == Container::kubernetes
                       ? "kubectl get computedomains   (the pod's claim of one brings its channel)"
                   : seen.around.container != Container::none
                       ? "docker run --env NVIDIA_IMEX_CHANNELS=0 --gpus all ..."
                       : as_root(seen,
                                 "sh -c 'echo options nvidia NVreg_CreateImexChannel0=1 > "
                                 "/etc/modprobe.d/nvidia-imex.conf'") +
                             "   (then reboot, and start the service nvidia-imex)");
}

Findings check_imex(const Seen& seen) {
    const auto& gpus = seen.probe.nvml_gpus;
    const auto shared = std::ranges::find_if(gpus, [](const GpuHealth& gpu) { return gpu.fabric_cluster.has_value(); });
    if (shared == gpus.end()) return {};
    auto found = no_imex_channel(seen);
    if (!found) return {ok("IMEX", "a channel to the memory of other nodes can be opened")};
    found->evidence += fmt::format(
        ": GPU {} shares NVLink with other nodes (cluster {}), so CUDA cannot map their memory "
        "(its errors are 800 and 101)",
        shared->index, *shared->fabric_cluster);
    return {*std::move(found)};
}

}  // namespace tocuda::doctor
