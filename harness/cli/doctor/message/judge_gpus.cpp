// tocuda, Apache-2.0.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "doctor/message/dump.hpp"
#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/gpu_dump.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto gpu_health_check = "GPU health";
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::vector<std::string> names_of(const GpuDump& dump) {
    std::vector<std::string> names;
    for (const auto& gpu : dump.gpus) names.push_back(gpu.health.name.value_or("a GPU"));
    return names;
}

std::string read_of(const GpuDump& dump) {
    std::vector<std::string> parts;
    if (!dump.gpus.empty()) parts.push_back(counted_names(names_of(dump)));
    if (!dump.driver.empty()) parts.push_back("driver " + dump.driver);
    if (is_version(dump.cuda)) parts.push_back("CUDA " + dump.cuda);
    if (dump.is_wsl()) parts.emplace_back("WSL 2");
    return fmt::format("{}", fmt::join(parts, ", "));
}

Finding driver_of(const GpuDump& dump) {
    if (dump.cuda == "ERR!")
        return fault(
            "libcuda", "nvidia-smi shows CUDA Version ERR!: it could not ask libcuda.so.1",
            dump.is_wsl()
                ? "ldconfig -p | grep libcuda.so.1   (it must be that of /usr/lib/wsl/lib; in PowerShell: wsl --update)"
                : "ldconfig -p | grep libcuda.so.1   (it must be of the driver's own version)");
    if (dump.cuda == "N/A")
        return fault("libcuda",
                     "nvidia-smi shows CUDA Version N/A: libcuda.so.1 is not there (Debian: package libcuda1, Ubuntu: "
                     "libnvidia-compute-BRANCH); in a container, NVIDIA_DRIVER_CAPABILITIES lacks compute",
                     "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...   (in a container)");
    const auto of_branch = cuda_of_driver(dump.driver);
    if (of_branch && is_version(dump.cuda) && version_of(dump.cuda).first > *of_branch / 1000)
        return ok(
            "driver",
            fmt::format(
                "{} is a driver for CUDA {}; the {} beside it is of cuda-compat, which only data-centre GPUs allow",
                dump.driver, cuda_text(*of_branch), dump.cuda));
    const auto cuda = is_version(dump.cuda) ? dump.cuda : of_branch ? cuda_text(*of_branch) : std::string();
    if (cuda.empty()) return unknown("driver", "the CUDA version of driver " + dump.driver + " is not in the paste");
    const auto major = version_of(cuda).first;
    constexpr int oldest = 7;  // of PyTorch's builds
    if (major < oldest)
        return fault("driver",
                     fmt::format("{} supports CUDA {}, for which there never was a PyTorch", dump.driver, cuda),
                     "install a newer driver, if NVIDIA has one for this GPU; else use the CPU or another GPU");
    const auto newest = major >= 11 ? fmt::format("{}.x", major) : cuda;
    return ok("driver", fmt::format("{} runs PyTorch builds for CUDA {} and older", dump.driver, newest));
}

// A fan or a power reading fails now and then; a GPU that has lost its name answers nothing.
Findings of_readings(const PastedGpu& gpu) {
    if (gpu.unreadable.empty()) return {};
    const auto name = name_of_gpu(gpu.health);
    const bool gone = std::ranges::find(gpu.unreadable, "name") != gpu.unreadable.end() || gpu.unreadable.size() > 2;
    if (gone)
        return {fault(gpu_health_check, name + " reports ERR! instead of its values",
                      "sudo dmesg | grep -i xid   (says which fault it has)")};
    return {warning(
        gpu_health_check,
        fmt::format("{} reports ERR! for its {}, often for a moment only", name, fmt::join(gpu.unreadable, " and ")),
        fmt::format("nvidia-smi -q -i {}   (if it stays: sudo dmesg | grep -i xid)", number_of_gpu(gpu.health)))};
}

Findings of_heat(const PastedGpu& gpu) {
    constexpr int hot = 90;  // where GPUs slow down
    if (gpu.celsius.value_or(0) < hot || gpu.health.clock_reasons.value_or(0) != 0) return {};
    return {warning(gpu_health_check,
                    fmt::format("{} is at {} C, where GPUs slow down", name_of_gpu(gpu.health), *gpu.celsius),
                    fmt::format("nvidia-smi -q -i {} -d TEMPERATURE,PERFORMANCE   (fans, airflow, thermal paste)",
                                number_of_gpu(gpu.health)))};
}

bool is_full(const PastedGpu& gpu) {
    const auto total = gpu.total_mib.value_or(0);
    return total > 0 && gpu.used_mib.value_or(0) > total - total / 10;
}

// The largest first.
std::vector<PastedProcess> holders_of(const GpuDump& dump, const PastedGpu& gpu) {
    std::vector<PastedProcess> holders;
    for (const auto& one : dump.running)
        if (one.gpu == gpu.health.index && one.used_mib) holders.push_back(one);
    std::ranges::stable_sort(holders, std::greater{}, [](const PastedProcess& one) { return *one.used_mib; });
    return holders;
}

std::string holders_in_words(const std::vector<PastedProcess>& holders) {
    constexpr std::size_t most = 3;
    std::vector<std::string> told;
    for (const auto& one : holders) {
        if (told.size() == most) break;
        told.push_back(fmt::format("pid {} ({}) holds {}", one.pid, one.name, amount_text(*one.used_mib * mebibyte)));
    }
    if (holders.size() > most) told.push_back(fmt::format("{} more hold less", holders.size() - most));
    return fmt::format("{}", fmt::join(told, ", "));
}

// The same for each GPU, so that it is told once.
std::string look_at_holders(const GpuDump& dump, const PastedGpu& gpu) {
    if (gpu.windows || dump.is_wsl())
        return "Task Manager, Details, column Dedicated GPU memory   (Windows: who holds the GPU's memory, which "
               "nvidia-smi does not know there)";
    std::vector<std::int64_t> pids;
    std::vector<int> numbers;
    for (const auto& each : dump.gpus) {
        const auto holders = is_full(each) ? holders_of(dump, each) : std::vector<PastedProcess>{};
        for (const auto& one : holders) pids.push_back(one.pid);
        if (!holders.empty()) numbers.push_back(each.health.index);
    }
    std::ranges::sort(pids);
    pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
    if (pids.empty())
        return "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds the GPU's memory)";
    return fmt::format(
        "ps -o pid,user,lstart,args -p {}   (GPU {}: who runs what fills it; end your own only, and ask the others)",
        fmt::join(pids, ","), fmt::join(numbers, ", "));
}

Findings of_memory(const GpuDump& dump, const PastedGpu& gpu) {
    if (!gpu.used_mib || gpu.total_mib.value_or(0) <= 0) return {};
    // A display and the driver itself take less.
    const bool unexplained = dump.processes == ProcessList::empty && !dump.is_wsl() && !gpu.windows &&
                             *gpu.used_mib > std::max<std::int64_t>(1024, *gpu.total_mib / 10);
    if (!is_full(gpu) && !unexplained) return {};
    auto evidence = fmt::format("{} has {} of {} in use", name_of_gpu(gpu.health),
                                amount_text(*gpu.used_mib * mebibyte), amount_text(*gpu.total_mib * mebibyte));
    if (unexplained)
        return {warning("GPU memory", evidence + " and no process listed: one that is not seen from there holds it",
                        "sudo fuser -v /dev/nvidia*   (who holds the GPU's memory; on the host: processes of other "
                        "containers and users)")};
    if (const auto holders = holders_of(dump, gpu); !holders.empty()) evidence += ": " + holders_in_words(holders);
    return {warning("GPU memory", evidence, look_at_holders(dump, gpu))};
}

// "NVIDIA RTXA6000-48A", "GRID M60-2A": profiles of virtual GPUs for applications only.
bool is_profile_without_cuda(std::string_view name) {
    const auto dash = name.rfind('-');
    return name.ends_with('A') && dash != std::string_view::npos && dash + 2 < name.size() &&
           name.substr(dash + 1, name.size() - dash - 2).find_first_not_of("0123456789") == std::string_view::npos;
}

Findings of_compute_mode(const PastedGpu& gpu) {
    if (const auto name = gpu.health.name.value_or(""); is_profile_without_cuda(name))
        return {fault("virtual GPU", name + " is a profile for applications (its A): it has no CUDA",
                      "give the virtual machine a profile with Q or C at its end   (on the hypervisor; needs its "
                      "licence)")};
    const auto mode = static_cast<ComputeMode>(gpu.health.compute_mode.value_or(0));
    if (mode == ComputeMode::shared) return {};
    const auto allow = fmt::format("sudo nvidia-smi -i {0} -c DEFAULT   (lets several processes use GPU {0})",
                                   number_of_gpu(gpu.health));
    if (mode == ComputeMode::prohibited)
        return {fault("compute mode", name_of_gpu(gpu.health) + " is prohibited for computing: a context answers 46",
                      allow, Scope::machine)};
    return {warning(
        "compute mode",
        name_of_gpu(gpu.health) + " serves one process at a time: a second context answers 46 (busy or unavailable)",
        allow, Scope::machine)};
}

// What keeps programs from a GPU, in a few words; empty: nothing.
std::string state_of(const GpuDump& dump, const PastedGpu& gpu) {
    const auto& health = gpu.health;
    std::vector<std::string> told;
    if (!gpu.unreadable.empty()) told.emplace_back("reports ERR!");
    if (health.trouble || health.recovery_action.value_or(0) > 0 || health.remapping_failed.value_or(false))
        told.emplace_back("has a fault");
    const auto mode = static_cast<ComputeMode>(health.compute_mode.value_or(0));
    if (mode == ComputeMode::prohibited) told.emplace_back("prohibited for computing");
    if (is_full(gpu)) told.emplace_back("full");
    if (health.mig.value_or(false))
        told.emplace_back(health.mig_instances == 0 ? "MIG without instances" : "through MIG instances only");
    if (mode == ComputeMode::exclusive_process || mode == ComputeMode::exclusive_thread) {
        const bool taken = std::ranges::count(dump.running, health.index, &PastedProcess::gpu) > 0;
        told.emplace_back(taken ? "taken (one process at a time)" : "one process at a time");
    }
    if (health.uncorrected_errors.value_or(0) > 0) told.emplace_back("memory errors");
    return fmt::format("{}", fmt::join(told, ", "));
}

// Of several GPUs: which of them a program can use.
Findings of_choice(const GpuDump& dump) {
    std::vector<std::pair<std::string, std::string>> groups;  // a state, and the numbers of the GPUs in it
    for (const auto& gpu : dump.gpus) {
        if (gpu.health.index < 0) return {};
        auto state = state_of(dump, gpu);
        if (state.empty()) state = "can be used";
        const auto group = std::ranges::find(groups, state, &std::pair<std::string, std::string>::first);
        if (group == groups.end()) groups.emplace_back(state, std::to_string(gpu.health.index));
        else group->second += fmt::format(", {}", gpu.health.index);
    }
    if (groups.size() < 2) return {};
    std::string told;
    for (const auto& [state, numbers] : groups)
        told += fmt::format("{}GPU {}: {}", told.empty() ? "" : "; ", numbers, state);
    return {ok("which GPU", told)};
}

Findings of_mig(const PastedGpu& gpu) {
    if (!gpu.health.mig.value_or(false) || gpu.health.mig_instances) return {};
    return {ok("MIG", name_of_gpu(gpu.health) +
                          ": MIG is on; its instances are not in the paste. A process uses one of them: "
                          "CUDA_VISIBLE_DEVICES=MIG-..., as nvidia-smi -L names it")};
}

Findings of_age(const PastedGpu& gpu) {
    constexpr int oldest = 50;  // in PyTorch builds since 2.8
    const auto capability = capability_of_name(gpu.health.name.value_or(""));
    if (!capability || *capability >= oldest) return {};
    const auto choice = wheel_for(std::nullopt, {*capability});
    return {warning("torch architectures",
                    fmt::format("{} has compute capability {}: no {} has code for it", gpu.health.name.value_or(""),
                                capability_text(*capability),
                                choice.build.empty() ? "published PyTorch build" : "PyTorch build since 2.8"),
                    choice.build.empty()
                        ? "build PyTorch with TORCH_CUDA_ARCH_LIST=" + capability_text(*capability)
                        : "pip install torch==2.7.1 --index-url https://download.pytorch.org/whl/" + choice.build +
                              "   (the last with code for it; needs driver 450 or newer)")};
}

// What the checks of a machine say about the same values.
Findings of_checks(const GpuDump& dump) {
    Seen seen;
    for (const auto& gpu : dump.gpus) seen.probe.nvml_gpus.push_back(gpu.health);
    Findings found;
    for (auto& one : check_health(seen))
        if (one.state != State::ok) found.push_back(std::move(one));
    for (auto& one : check_mig(seen)) found.push_back(std::move(one));
    return found;
}

Dump judge_gpus(const GpuDump& dump, const std::string& tool) {
    Dump judged{.tool = tool,
                .not_seen = {"CUDA", "PyTorch", "the kernel's log"},
                .read = read_of(dump),
                .driver = dump.driver};
    auto& found = judged.findings;
    const auto add = [&](const Findings& more) { found.insert(found.end(), more.begin(), more.end()); };
    if (!judged.read.empty()) found.push_back(ok("read", judged.read));
    if (!dump.driver.empty()) found.push_back(driver_of(dump));
    add(of_choice(dump));
    const auto before = found.size();
    add(of_checks(dump));
    for (const auto& gpu : dump.gpus) {
        add(of_readings(gpu));
        add(of_heat(gpu));
        add(of_compute_mode(gpu));
        add(of_memory(dump, gpu));
    }
    const bool well = std::none_of(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(),
                                   [](const Finding& one) { return one.state != State::ok; });
    for (const auto& gpu : dump.gpus) {
        add(of_mig(gpu));
        for (auto& one : of_age(gpu))
            if (std::ranges::find(found, one) == found.end()) found.push_back(std::move(one));
    }
    const bool all = !dump.attached || *dump.attached == static_cast<int>(dump.gpus.size());
    if (well && !dump.gpus.empty())
        found.push_back(
            ok(gpu_health_check, fmt::format("no fault shown for the {} in the paste{}", gpus_counted(dump.gpus.size()),
                                             all ? "" : fmt::format("; {} are attached", *dump.attached))));
    if (!all && !well)
        found.push_back(
            unknown("paste", fmt::format("{} of {} attached GPUs are in it", dump.gpus.size(), *dump.attached)));
    return judged;
}

}  // namespace

std::vector<Dump> gpu_tables_in(const Lines& lines) {
    std::vector<Dump> dumps;
    for (const auto& one : read_gpu_tables(lines)) dumps.push_back(judge_gpus(one, "nvidia-smi"));
    return dumps;
}

std::vector<Dump> gpu_queries_in(const Lines& lines) {
    std::vector<Dump> dumps;
    for (const auto& one : read_gpu_queries(lines)) dumps.push_back(judge_gpus(one, "nvidia-smi -q"));
    return dumps;
}

}  // namespace tocuda::doctor
