// tocuda, Apache-2.0.
#include "doctor/message/pasted.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "doctor/message/excerpt.hpp"
#include "doctor/python/architectures.hpp"
#include "doctor/python/install.hpp"
#include "machine/text_file.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

std::string_view stripped(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// "Key : value" of a line; empty if the line has another key.
std::string_view value_of(std::string_view line, std::string_view key) {
    line = stripped(line);
    if (!line.starts_with(key)) return "";
    line.remove_prefix(key.size());
    const auto colon = stripped(line);
    return colon.starts_with(':') ? stripped(colon.substr(1)) : "";
}

std::string_view value_in(const std::vector<std::string>& lines, std::string_view key) {
    for (const auto& line : lines)
        if (const auto value = value_of(line, key); !value.empty()) return value;
    return "";
}

bool is_known(std::string_view value) {
    return !value.empty() && value != "N/A" && value != "None" && value != "Could not collect";
}

// The newest CUDA that a branch of the driver supports.
std::optional<int> cuda_of_driver(std::string_view driver) {
    constexpr auto branches = std::to_array<std::pair<int, int>>(
        {{580, 13000}, {575, 12090}, {570, 12080}, {565, 12070}, {560, 12060}, {555, 12050}, {550, 12040}, {545, 12030},
         {535, 12020}, {530, 12010}, {525, 12000}, {520, 11080}, {515, 11070}, {510, 11060}, {495, 11050}, {470, 11040},
         {465, 11030}, {460, 11020}, {455, 11010}, {450, 11000}, {440, 10020}, {418, 10010}, {410, 10000}});
    int branch = 0;
    std::from_chars(driver.data(), driver.data() + driver.size(), branch);
    const auto* const found = std::ranges::find_if(branches, [&](const auto& one) { return branch >= one.first; });
    return branch == 0 || found == branches.end() ? std::nullopt : std::optional(found->second);
}

PythonSeen python_in(const std::vector<std::string>& lines, std::string_view text) {
    PythonSeen python{.interpreter = "python3", .kind = "as pasted"};
    python.version = value_in(lines, "Python version").substr(0, 4);
    python.version = python.version.substr(0, python.version.find_first_not_of("0123456789."));
    python.machine = contains(text, "aarch64") ? "aarch64" : "x86_64";
    TorchSeen torch{.folder = "as pasted", .version = std::string(value_in(lines, "PyTorch version"))};
    if (const auto cuda = value_in(lines, "CUDA used to build PyTorch"); is_known(cuda)) torch.cuda = cuda;
    if (const auto hip = value_in(lines, "ROCM used to build PyTorch"); is_known(hip)) torch.hip = hip;
    torch.has_cuda_library = torch.cuda.has_value();
    // Blackwell is in the builds for CUDA 12.8 and newer; those before begin with Maxwell.
    if (torch.cuda && (torch.cuda->starts_with("11.") || (torch.cuda->starts_with("12.") && *torch.cuda < "12.8")))
        torch.gpu_architectures = {"sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"};
    python.torch = torch;
    return python;
}

// nvidia-cublas-cu11 beside nvidia-cublas-cu12: each torch needs the packages of one major.
std::optional<Finding> mixed_packages(const std::vector<std::string>& lines) {
    std::set<std::string> majors;
    for (const auto& line : lines) {
        const auto at = line.find("-cu1");
        if (at != std::string::npos && contains(line, "] nvidia-")) majors.insert(line.substr(at + 3, 2));
    }
    if (majors.size() < 2) return std::nullopt;
    std::string listed;
    for (const auto& major : majors) listed += (listed.empty() ? "" : " and ") + major;
    return warning("torch libraries", fmt::format("packages of NVIDIA's for CUDA {} are in one environment", listed),
                   "python3 -m venv fresh && fresh/bin/pip install torch   (a new environment; in the old one they "
                   "overwrite each other's files)");
}

Pasted of_collect_env(std::string_view text) {
    const auto lines = lines_of(text);
    Pasted pasted{.tool = "collect_env", .not_seen = "the libraries that the loader takes, the kernel module, the bus"};
    const auto python = python_in(lines, text);
    GpusKnown known;
    const auto driver = value_in(lines, "Nvidia driver version");
    if (is_known(driver)) known.driver_cuda = cuda_of_driver(driver);
    std::vector<int> capabilities;
    for (const auto& line : lines)
        if (contains(line, "GPU 0:") || stripped(line).starts_with("GPU "))
            if (const auto one = capability_of_name(line)) capabilities.push_back(*one);
    if (!capabilities.empty()) known.compute_capabilities = capabilities;
    if (!is_known(driver) && capabilities.empty() && python.torch->cuda)
        pasted.findings.push_back(fault("driver", "no driver of NVIDIA's and no GPU was found",
                                        "nvidia-smi   (on that machine; in a container: docker run --gpus all ...)"));
    for (auto& one : findings(python, known)) {
        const bool was_seen = one.check == "torch build" || one.check == "torch CUDA version" ||
                              (one.check == "torch architectures" && one.state != State::unknown);
        if (was_seen) pasted.findings.push_back(std::move(one));
    }
    if (auto mixed = mixed_packages(lines)) pasted.findings.push_back(*std::move(mixed));
    if (const auto available = value_in(lines, "Is CUDA available"); !available.empty())
        pasted.findings.push_back(ok("torch", fmt::format("is_available() is {}", available)));
    return pasted;
}

int recovery_number(std::string_view words) {
    if (words == "None" || !is_known(words)) return 0;
    if (contains(words, "Reboot")) return 2;
    if (contains(words, "P2P")) return 3;
    return contains(words, "Drain") ? 4 : 1;
}

// Each GPU of `nvidia-smi -q` begins with "GPU 00000000:3B:00.0"; a key belongs to the section it stands in.
void read_line_of_gpu(std::string_view line, std::string& section, GpuHealth& gpu) {
    if (!contains(line, " : ")) section = stripped(line);
    const auto is = [&](std::string_view key, std::string_view value) {
        return value_of(line, key).starts_with(value);
    };
    if (const auto name = value_of(line, "Product Name"); !name.empty()) gpu.name = name;
    for (const std::string_view key : {"GPU Recovery Action", "Recovery Action"})
        if (const auto action = value_of(line, key); !action.empty()) gpu.recovery_action = recovery_number(action);
    if (is("Remapping Failure Occurred", "Yes")) gpu.remapping_failed = true;
    if (section == "Remapped Rows" && is("Pending", "Yes")) gpu.remapping_pending = true;
    if (section == "MIG Mode") {
        if (is("Current", "Enabled") || is("Current", "Disabled")) gpu.mig = is("Current", "Enabled");
        if (is("Pending", "Enabled") || is("Pending", "Disabled")) gpu.mig_pending = is("Pending", "Enabled");
    }
    for (const std::string_view key : {"HW Thermal Slowdown", "SW Thermal Slowdown"})
        if (is(key, "Active")) gpu.clock_reasons = gpu.clock_reasons.value_or(0) | 0x40;
    if (is("HW Power Brake Slowdown", "Active")) gpu.clock_reasons = gpu.clock_reasons.value_or(0) | 0x80;
    if (is("Compute Mode", "Prohibited")) gpu.compute_mode = 2;
    if (is("Compute Mode", "Exclusive")) gpu.compute_mode = 3;
}

Pasted of_query(std::string_view text) {
    Seen seen;
    std::string section;
    for (const auto& line : lines_of(text)) {
        if (line.starts_with("GPU 0")) {
            auto& all = seen.probe.nvml_gpus;
            all.push_back({.index = static_cast<int>(all.size()), .pci = std::string(stripped(line.substr(4)))});
        } else if (!seen.probe.nvml_gpus.empty()) {
            read_line_of_gpu(line, section, seen.probe.nvml_gpus.back());
        }
    }
    // Instances are listed under another key; that MIG is on is not known to be a fault.
    for (auto& gpu : seen.probe.nvml_gpus)
        if (gpu.mig.value_or(false)) gpu.mig_instances = 1;
    Pasted pasted{
        .tool = "nvidia-smi -q", .findings = check_health(seen), .not_seen = "CUDA, PyTorch, the kernel's log"};
    for (auto& one : check_mig(seen)) pasted.findings.push_back(std::move(one));
    return pasted;
}

// "|   0  NVIDIA H100 ... | 00000000:3B:00.0 Off | 81000MiB / 81559MiB |"
Pasted of_table(std::string_view text) {
    Pasted pasted{.tool = "nvidia-smi", .not_seen = "CUDA, PyTorch, the kernel's log"};
    const auto driver = between(text, "Driver Version: ", " ").value_or("");
    const auto cuda = between(text, "CUDA Version: ", " ").value_or("");
    pasted.findings.push_back(
        ok("driver", fmt::format("{}, for builds of PyTorch up to CUDA {}.x", driver, cuda.substr(0, cuda.find('.')))));
    for (const auto& line : lines_of(text)) {
        if (contains(line, "ERR!"))
            pasted.findings.push_back(fault("GPU health", fmt::format("a GPU answers with errors: {}", stripped(line)),
                                            "sudo dmesg | grep -i xid   (says which fault it has)"));
        const auto slash = line.find("MiB / ");
        if (slash == std::string::npos || slash == 0) continue;
        const auto begin = line.find_last_not_of("0123456789", slash - 1) + 1;
        const auto used = whole_number(line.substr(begin, slash - begin));
        const auto total = number_after(line, "MiB / ");
        constexpr std::int64_t mib = std::int64_t{1} << 20;
        if (used && total && *total > 0 && *used > *total - *total / 10)
            pasted.findings.push_back(warning(
                "GPU memory",
                fmt::format("{} of {} are in use on one GPU", amount_text(*used * mib), amount_text(*total * mib)),
                "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"));
    }
    return pasted;
}

// "3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)" and "Kernel driver in use: nouveau"
Pasted of_bus(std::string_view text) {
    Seen seen;
    bool of_gpu = false;
    Pasted pasted{.tool = "lspci", .not_seen = "the kernel module, the driver's libraries, CUDA, PyTorch"};
    for (const auto& line : lines_of(text)) {
        const bool is_device = !line.empty() && line.front() != ' ' && line.front() != '\t';
        if (is_device) {
            ++seen.bus.devices;
            of_gpu = contains(line, "NVIDIA") && (contains(line, "VGA") || contains(line, "3D controller"));
            if (!of_gpu) continue;
            PciGpu gpu{.address = line.substr(0, line.find(' '))};
            if (const auto id = between(line, "[10de:", "]"))
                std::from_chars(id->data(), id->data() + id->size(), gpu.device, 16);
            if (contains(line, "(rev ff)"))
                pasted.findings.push_back(fault("PCI",
                                                gpu.address + " no longer answers (rev ff): it has fallen off the bus",
                                                "sudo dmesg | grep -iE 'xid|pcie|aer'   (then: power off and on)"));
            seen.bus.gpus.push_back(gpu);
        } else if (of_gpu) {
            if (const auto module = value_of(line, "Kernel driver in use"); !module.empty())
                seen.bus.gpus.back().driver = module;
        }
    }
    if (seen.bus.gpus.empty()) pasted.findings.push_back(unknown("PCI", "no GPU of NVIDIA's is in this list"));
    else
        for (auto& one : check_bus(seen)) pasted.findings.push_back(std::move(one));
    return pasted;
}

}  // namespace

std::optional<Pasted> judge_pasted(std::string_view text) {
    if (contains(text, "CUDA used to build PyTorch")) return of_collect_env(text);
    if (contains(text, "NVSMI LOG")) return of_query(text);
    if (contains(text, "NVIDIA-SMI ") && contains(text, "Driver Version: ")) return of_table(text);
    if (contains(text, "VGA compatible controller") || contains(text, "3D controller")) return of_bus(text);
    return std::nullopt;
}

}  // namespace tocuda::doctor
