// tocuda, Apache-2.0.
#include "doctor/process.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "machine/text_file.hpp"

namespace tocuda::doctor {
namespace {

namespace fs = std::filesystem;

constexpr auto process_check = "process";

Variables variables_in(std::string_view text) {
    Variables variables;
    while (!text.empty()) {
        const auto end = std::min(text.find('\0'), text.size());
        const auto entry = text.substr(0, end);
        const auto sign = entry.find('=');
        if (sign != std::string_view::npos && sign > 0)
            variables.try_emplace(std::string(entry.substr(0, sign)), entry.substr(sign + 1));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return variables;
}

bool is_of_interest(const std::string& path) {
    const auto name = path.substr(path.rfind('/') + 1);
    return std::ranges::any_of(
        std::array{"libcuda.so", "libcudart.so", "libcudart-", "libtorch_cpu.so", "libtorch_cuda.so"},
        [&](const char* begin) { return name.starts_with(begin); });
}

std::vector<std::string> libraries_in(const std::string& maps) {
    std::vector<std::string> libraries;
    for (const auto& line : lines_of(maps)) {
        const auto slash = line.find('/');
        if (slash == std::string::npos) continue;
        const auto path = line.substr(slash);
        if (is_of_interest(path) && std::ranges::find(libraries, path) == libraries.end()) libraries.push_back(path);
    }
    return libraries;
}

std::vector<std::string> mapped(const ProcessSeen& process, std::string_view name) {
    std::vector<std::string> found;
    std::ranges::copy_if(process.libraries, std::back_inserter(found),
                         [&](const std::string& path) { return path.find(name) != std::string::npos; });
    return found;
}

// A build without CUDA, or a program whose linker left out what nothing refers to.
Finding without_cuda(const ProcessSeen& process, const std::string& torch) {
    const auto evidence = fmt::format("process {} has {} mapped, but no libtorch_cuda.so", process.id, torch);
    if (process.cuda_beside_torch)
        return fault(process_check, evidence + ", which lies beside it: the linker left it out",
                     "g++ ... -Wl,--no-as-needed -ltorch_cuda -Wl,--as-needed");
    return fault(process_check, evidence + ": a build without CUDA",
                 "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu130");
}

Findings of_driver(const ProcessSeen& process) {
    Findings findings;
    for (const auto& path : mapped(process, "/libcuda.so")) {
        if (path.find("/stubs/") != std::string::npos)
            findings.push_back(fault(process_check, fmt::format("process {} has the stub {} mapped", process.id, path),
                                     "export LD_LIBRARY_PATH=   (without the toolkit's stubs; then start it again)"));
        if (path.ends_with(" (deleted)"))
            findings.push_back(warning(process_check,
                                       fmt::format("process {} has a driver library mapped that was replaced since it "
                                                   "started: {}",
                                                   process.id, path),
                                       fmt::format("kill {}   (and start it again)", process.id)));
    }
    return findings;
}

}  // namespace

std::optional<ProcessSeen> see_process(const fs::path& root, int id) {
    const auto folder = root / "proc" / std::to_string(id);
    std::error_code none;
    if (!fs::exists(folder, none)) return std::nullopt;
    ProcessSeen process{.id = id, .program = fs::read_symlink(folder / "exe", none)};
    if (const auto text = read_text(folder / "environ")) process.variables = variables_in(*text);
    process.libraries = libraries_in(read_text(folder / "maps").value_or(""));
    for (const auto& torch : mapped(process, "/libtorch_cpu.so")) {
        const auto beside = fs::path(torch).parent_path() / "libtorch_cuda.so";
        process.cuda_beside_torch = process.cuda_beside_torch || fs::exists(root / beside.relative_path(), none);
    }
    return process;
}

Findings check_process(const ProcessSeen& process) {
    if (!process.variables)
        return {unknown(process_check, fmt::format("access to process {} is refused: neither its variables nor its "
                                                   "libraries can be read",
                                                   process.id))};
    const auto torch = mapped(process, "/libtorch_cpu.so");
    if (!torch.empty() && mapped(process, "/libtorch_cuda.so").empty()) return {without_cuda(process, torch.front())};
    auto findings = of_driver(process);
    const auto runtimes = mapped(process, "/libcudart");
    if (runtimes.size() > 1)
        findings.push_back(warning(process_check,
                                   fmt::format("process {} has {} CUDA runtimes mapped: {} and {}", process.id,
                                               runtimes.size(), runtimes[0], runtimes[1]),
                                   "unset LD_LIBRARY_PATH LD_PRELOAD   (then start it again)"));
    if (findings.empty())
        findings.push_back(ok(
            process_check, fmt::format("process {} ({}) {}", process.id, process.program,
                                       torch.empty() ? "has no LibTorch mapped" : "has " + torch.front() + " mapped")));
    return findings;
}

}  // namespace tocuda::doctor
