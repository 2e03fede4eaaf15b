// tocuda, Apache-2.0.
// The driver's library, libcuda.so.1: whether the loader finds one, and which.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/checks.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto library_check = "libcuda";
constexpr int stub_library = 34;

bool is_stub(const Seen& seen) {
    return seen.probe.init == stub_library || seen.probe.library.value_or("").find("/stubs/") != std::string::npos;
}

Finding stub(const Seen& seen) {
    return fault(library_check, *seen.probe.library + " is a stub of the CUDA toolkit, for linking only",
                 "export LD_LIBRARY_PATH=$(echo $LD_LIBRARY_PATH | tr : '\\n' | grep -v stubs | paste -sd:)");
}

// What else of the driver is missing, in one line with the library.
std::string also_missing(const Seen& seen) {
    std::string text;
    if (!seen.kernel.version && seen.around.container == Container::none && !seen.around.tegra)
        text += "; no kernel module is loaded";
    if (seen.nodes.empty() && !seen.around.tegra) text += "; no /dev/nvidia*";
    return text;
}

Finding cannot_be_loaded(const Seen& seen) {
    const auto on_path = std::ranges::find(seen.libraries, true, &DriverLibrary::on_path);
    const auto reason = why_missing(seen, "gpus");
    const bool container = seen.around.container != Container::none;
    if (on_path != seen.libraries.end())
        return fault(library_check, fmt::format("{} cannot be loaded: {}", on_path->path, reason),
                     !seen.variable("LD_LIBRARY_PATH").empty() ? "unset LD_LIBRARY_PATH   (then try again)"
                     : container                               ? start_with_gpus(seen)
                                                               : install_driver(seen));
    if (!seen.libraries.empty()) {
        const auto& path = seen.libraries.front().path;
        return fault(library_check, fmt::format("{} is there, but the loader does not search its folder", path),
                     fmt::format("export LD_LIBRARY_PATH={}:$LD_LIBRARY_PATH", path.substr(0, path.rfind('/'))));
    }
    return fault(library_check, "no NVIDIA driver: libcuda.so.1 is not found" + also_missing(seen),
                 container ? start_with_gpus(seen) : install_driver(seen));
}

Finding loaded(const Seen& seen) {
    const auto& probe = seen.probe;
    const auto same = std::ranges::find(seen.libraries, *probe.library, &DriverLibrary::path);
    auto evidence = *probe.library;
    if (same != seen.libraries.end() && !same->version.empty()) evidence += " (" + same->version + ")";
    if (probe.version && *probe.version > 0) evidence += ", CUDA " + cuda_version_text(*probe.version);
    return ok(library_check, seen.simulated() ? "SIMULATED driver: " + evidence : evidence);
}

// Several drivers on one path: which one is taken depends on who starts the program.
std::optional<Finding> several(const Seen& seen) {
    std::string others;
    for (const auto& library : seen.libraries)
        if (library.on_path && library.path != seen.probe.library)
            others += (others.empty() ? "" : ", ") + library.path +
                      (library.version.empty() ? "" : " (" + library.version + ")");
    if (others.empty()) return std::nullopt;
    return warning(library_check, fmt::format("{} is loaded; the loader also finds {}", *seen.probe.library, others),
                   "ldconfig -p | grep libcuda.so.1   (keep the one that belongs to the kernel module)");
}

}  // namespace

std::string why_missing(const Seen& seen, std::string_view field) {
    for (const auto& [name, cause] : seen.probe.unavailable)
        if (name == field) {
            constexpr std::string_view marker = "cannot be loaded: ";
            const auto at = cause.find(marker);
            return at == std::string::npos ? cause : cause.substr(at + marker.size());
        }
    return {};
}

Findings check_library(const Seen& seen) {
    if (!seen.probe.finished && !seen.probe.library) {
        if (!seen.probe.doing) return {unknown(library_check, "the driver was not asked: " + seen.probe_ended)};
        return {fault(library_check, fmt::format("the process that loads libcuda.so.1: {}", seen.probe_ended),
                      look_at_log(seen))};
    }
    if (!seen.probe.library) return {cannot_be_loaded(seen)};
    if (is_stub(seen)) return {stub(seen)};
    Findings findings{loaded(seen)};
    if (auto found = several(seen)) findings.push_back(*std::move(found));
    return findings;
}

}  // namespace tocuda::doctor
