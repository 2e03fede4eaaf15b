// tocuda, Apache-2.0.
// Libraries of one driver and the module of another: which is of which version, and what puts them right.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"

namespace tocuda::doctor {
namespace {

// "NVIDIA-Linux-x86_64-570.124.04.run --no-kernel-modules" and "open-gpu-kernel-modules-570.124.06".
void tell_of_two_installers(std::string_view text, Explanation& told) {
    const auto libraries = between(text, "NVIDIA-Linux-x86_64-", ".run");
    const auto modules = driver_versions_in(between(text, "open-gpu-kernel-modules-", "/").value_or(""));
    if (!libraries || modules.empty() || *libraries == modules[0]) return;
    told.arithmetic.push_back(fmt::format("the run file has the libraries of {}, the modules that were built are of {}",
                                          *libraries, modules[0]));
    told.remedies = {{fmt::format("sudo sh NVIDIA-Linux-x86_64-{}.run --no-kernel-modules   (the libraries of the same "
                                  "version; undo: the run file of {})",
                                  modules[0], *libraries),
                      Scope::machine},
                     {"cat /proc/driver/nvidia/version   (is the new module loaded?)", Scope::look}};
}

// "550.90.07" of "NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31"; empty if the text does not show it.
std::string version_of_module(std::string_view text) {
    const auto at = text.find("Kernel Module");
    if (at == std::string_view::npos) return "";
    const auto found = driver_versions_in(text_near(text, at, 0, 60));
    return found.empty() ? "" : found[0];
}

// The version of the client first, that of the module second.
std::vector<std::string> versions_in_mismatch(std::string_view message) {
    const auto named = message.find("API mismatch");
    auto versions = driver_versions_in(named == std::string_view::npos ? message : message.substr(named, 300));
    // "NVML library version: 570.124" is the client's version without its last part.
    const auto short_one = [&](const std::string& one) {
        return std::ranges::any_of(versions, [&](const auto& other) { return other.starts_with(one + "."); });
    };
    if (versions.size() >= 3 && contains(message, "NVML library version")) std::erase_if(versions, short_one);
    const bool module_first = contains_any(message, {"kernel module has version", "NVRM version"});
    if (versions.size() >= 2 && module_first) std::swap(versions[0], versions[1]);
    const auto module = version_of_module(message);
    if (versions.size() >= 2 && !module.empty() && versions[0] == module && versions[1] != module)
        std::swap(versions[0], versions[1]);
    return versions;
}

void tell_of_versions(std::string_view message, Explanation& told) {
    const auto versions = versions_in_mismatch(message);
    const bool of_client = contains(message, "API mismatch") || contains(message, "Kernel Module");
    if (versions.size() >= 2 && message.starts_with("nvidia-modeset: V"))
        told.arithmetic.push_back(fmt::format("the module nvidia is of driver {}, its module nvidia-modeset of {}",
                                              versions[0], versions[1]));
    else if (versions.size() >= 2 && of_client)
        told.arithmetic.push_back(
            fmt::format("the libraries are of {}, the loaded module of {}", versions[0], versions[1]));
    else if (!versions.empty() && contains(message, "NVML library version"))
        told.arithmetic.push_back(fmt::format("the library is of driver {}", versions[0]));
}

}  // namespace

void read_module_and_library(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t most = 700;
    const auto message = text.substr(at, most);
    tell_of_versions(message, told);
    tell_of_two_installers(text, told);
    constexpr auto which = "dpkg -l | grep -i nvidia; dkms status   (two drivers, of a package and of a runfile?)";
    if (message.starts_with("nvidia-modeset: V"))
        told.remedies = {
            {"find /lib/modules/$(uname -r) -name 'nvidia*.ko*'; modinfo -F version nvidia nvidia_modeset",
             Scope::look},
            {which, Scope::look},
            {"sudo update-initramfs -u   (after one of the two was removed; then reboot)", Scope::machine}};
    if (distribution_of(text) == Distribution::arch) {
        told.remedies = {
            {"pacman -Q | grep -E '^(linux|nvidia)'; uname -r; modinfo -F version nvidia   (one version of the driver; "
             "does the kernel run that is installed?)",
             Scope::look},
            {"sudo pacman -Syu && sudo mkinitcpio -P   (all packages of one day; an initramfs with the module in it "
             "keeps the old one otherwise; undo: the packages in /var/cache/pacman/pkg)",
             Scope::machine},
            {"sudo reboot   (then; ends every program of the machine)", Scope::others}};
    } else if (contains_any(
                   text, {"rebooting", "rebooted", "restarted", "after reboot", "after a reboot", "reboot didn't"})) {
        told.arithmetic.emplace_back("the text says that a reboot did not help: the new module was not built or found");
        told.remedies = {{"dkms status; modinfo -F version nvidia; uname -r   (which module is there for this kernel?)",
                          Scope::look},
                         {build_for_kernel, Scope::machine},
                         {which, Scope::look},
                         {"sudo reboot   (then; ends every program of the machine)", Scope::others}};
    }
    if (contains(text, "docker") || contains(text, "ontainer"))
        told.arithmetic.emplace_back(
            "in a container: an image must not carry libraries of the driver of its own (libnvidia-*, nvidia-utils); "
            "the host's are passed in when it starts");
}

}  // namespace tocuda::doctor
