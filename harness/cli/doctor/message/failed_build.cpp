// tocuda, Apache-2.0.
// Why the driver's module could not be compiled, by what the compiler and dkms said.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "465.19.01" of "/var/lib/dkms/nvidia/465.19.01/build", "-m nvidia -v 465.19.01", "NVIDIA-Linux-x86_64-465.19.01"
std::string version_of_build(std::string_view text) {
    for (const std::string_view label :
         {"dkms/nvidia/", "nvidia/", "nvidia -v ", "NVIDIA-Linux-x86_64-", "NVIDIA-Linux-aarch64-", "nvidia-dkms-",
          "nvidia-current-", "nvidia-srv-", "open-gpu-kernel-modules-", "nvidia-"}) {
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            const auto rest = text.substr(at + label.size(), 16);
            const auto found = driver_versions_in(rest);
            if (!found.empty() && rest.starts_with(found[0])) return found[0];
        }
    }
    return "";
}

std::string_view kernel_of_build(std::string_view text) {
    for (const std::string_view label :
         {"on kernel: ", "KERNEL_UNAME=", " -k ", "/lib/modules/", "kernel headers for kernel ",
          "for kernel: ", "linux-headers-", "for kernel "}) {
        const auto at = text.find(label);
        if (at == std::string_view::npos) continue;
        const auto rest = text.substr(at + label.size(), 100);
        const auto word = rest.substr(0, rest.find_first_of(" '\"`\n\r(/;:"));
        if (word.size() >= 3 && word[0] >= '1' && word[0] <= '9' && contains(word, ".")) return word;
    }
    return running_kernel_in(text);
}

bool lacks_headers(std::string_view text) {
    return contains_any(text, {"Unable to find the kernel source tree", "cannot be found at", "headers for kernel",
                               "Please install the linux-headers", "/build: No such file",
                               "you can use the --kernelsourcedir", "kernel-devel", "/autoconf.h: No such file"});
}

// "==> ERROR: Missing 6.2.1-zen1-1-zen kernel headers for module nvidia/525.89.02."
bool misses_headers_of_arch(std::string_view text) { return contains(text, "kernel headers for module nvidia"); }

// Arch's package of headers has the name of its kernel.
std::string_view headers_of_arch(std::string_view kernel) {
    struct Kernel {
        std::string_view sign, package;
    };
    constexpr auto all = std::to_array<Kernel>({{"-zen", "linux-zen-headers"},
                                                {"-lts", "linux-lts-headers"},
                                                {"-hardened", "linux-hardened-headers"},
                                                {"-cachyos", "linux-cachyos-headers"}});
    const auto* const found = std::ranges::find_if(all, [&](const Kernel& one) { return contains(kernel, one.sign); });
    return found == all.end() ? "linux-headers" : found->package;
}

// Kernels of others than the distribution are often newer than any driver knows.
bool is_kernel_of_others(std::string_view kernel) {
    return contains_any(kernel, {"xanmod", "liquorix", "-tkg", "-zabbly", "-mainline", "-rc"});
}

bool has_old_compiler(std::string_view text) {
    return contains_any(
        text, {"unrecognized command-line option", "unrecognized command line option", "-ftrivial-auto-var-init"});
}

// What the sources of the driver and of a newer kernel disagree about.
bool is_too_new_a_kernel(std::string_view text) {
    return contains_any(text,
                        {"implicit declaration of function", "has no member named", "too few arguments to function",
                         "too many arguments to function", "incompatible pointer type", "undeclared", "GPL-only symbol",
                         "GPL-incompatible module", "conflicting types for", "passing argument", "unknown type name",
                         "redefinition of", "No rule to make target", "undefined!", "initialization of "}) ||
           (contains(text, ": fatal error: ") && contains(text, "No such file or directory"));
}

// The last versions of ended branches compile for kernels up to these.
bool is_past_its_kernels(std::string_view version, std::string_view kernel) {
    struct Ended {
        std::string_view branch;
        std::int64_t major, minor;
    };
    constexpr auto all = std::to_array<Ended>({{"340.", 5, 4}, {"390.", 6, 2}, {"470.", 6, 9}});
    const auto text = fmt::format(" {}", kernel);
    const auto major = number_after(text, " ");
    const auto minor = number_after(text, ".");
    return major && minor && std::ranges::any_of(all, [&](const Ended& one) {
               return version.starts_with(one.branch) && std::pair(*major, *minor) > std::pair(one.major, one.minor);
           });
}

constexpr auto with_gcc_12 =
    "sudo apt install gcc-12 && sudo update-alternatives --install /usr/bin/gcc gcc /usr/bin/gcc-12 12 && sudo dkms "
    "autoinstall   (undo: sudo update-alternatives --remove gcc /usr/bin/gcc-12)";

void tell_of_new_kernel(std::string_view version, const Origin& origin, Explanation& told) {
    const int branch = version.size() >= 3 ? (version[0] - '0') * 100 + (version[1] - '0') * 10 + version[2] - '0' : 0;
    const bool legacy = branch == 340 || branch == 390 || branch == 470;
    told.certain = true;
    told.meaning =
        "The kernel is newer than this driver: its sources use what that kernel no longer has, so they do not compile.";
    if (legacy) {
        told.arithmetic.push_back(fmt::format(
            "branch {} is a last one for old GPUs and gets no more changes for new kernels: NVIDIA has ended it",
            branch));
        told.remedies.emplace_back(
            origin.distribution == Distribution::arch
                ? "sudo pacman -S linux-lts linux-lts-headers   (and start it: an older kernel; undo: sudo pacman -R "
                  "linux-lts)"
                : "boot an older kernel   (Advanced options in the boot menu; or the distribution's LTS kernel)",
            Scope::machine);
        told.remedies.emplace_back(install_branch(branch, origin.distribution), Scope::machine);
    } else {
        told.remedies.emplace_back("sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)",
                                   Scope::machine);
        told.remedies.emplace_back("boot an older kernel   (until then: Advanced options in the boot menu)",
                                   Scope::machine);
    }
    told.remedies.emplace_back("dkms status; uname -r   (afterwards: installed, for this kernel?)", Scope::look);
}

}  // namespace

void tell_of_failed_build(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    const auto version = version_of_build(text);
    const auto kernel = kernel_of_build(text);
    if (!version.empty() && !kernel.empty())
        told.arithmetic.push_back(fmt::format("driver {} was to be built for kernel {}", version, kernel));
    if (contains(text, "No space left on device")) {
        told.certain = true;
        told.meaning = "There is no room left to build or install the driver's module.";
        told.remedies = {{"df -h / /boot /var /tmp", Scope::look},
                         {"sudo apt autoremove --purge   (old kernels; undo: install them again)", Scope::machine}};
    } else if (has_old_compiler(text)) {
        told.certain = true;
        told.meaning =
            "gcc is older than the one that built this kernel and does not know the options that it was built with: "
            "the kernel came by an update (HWE), gcc did not.";
        told.remedies = {
            {"cat /proc/version; gcc --version   (the kernel's gcc, and this one)", Scope::look},
            {contains(text, ".run") && !contains(text, "dkms")
                 ? "sudo apt install gcc-12 && sudo env CC=gcc-12 sh NVIDIA-Linux-x86_64-VERSION.run   (that "
                   "installer, with the version of gcc that /proc/version names)"
                 : with_gcc_12,
             Scope::machine}};
    } else if (lacks_headers(text) || (misses_headers_of_arch(text) && !is_too_new_a_kernel(text))) {
        told.meaning = "The headers of this kernel, which the driver's module is built with, are not installed.";
        told.remedies = {
            {origin.distribution == Distribution::arch
                 ? fmt::format("sudo pacman -S {} && sudo dkms autoinstall   (after an upgrade of the kernel: reboot "
                               "first)",
                               headers_of_arch(kernel))
                 : build_for_kernel,
             Scope::machine},
            {"uname -r; ls -d /usr/src/*headers* /lib/modules/$(uname -r)/build   (of this kernel?)", Scope::look}};
    } else if (is_too_new_a_kernel(text)) {
        told.remedies.clear();
        tell_of_new_kernel(version, origin, told);
    } else if (is_past_its_kernels(version, kernel)) {
        told.remedies = {
            {"tail -40 /var/lib/dkms/nvidia/*/build/make.log   (its first line with \"error\")", Scope::look}};
        tell_of_new_kernel(version, origin, told);
        told.certain = false;
    } else if (is_kernel_of_others(kernel)) {
        told.arithmetic.push_back(fmt::format("{} is not the distribution's own kernel, and may be too new", kernel));
        told.remedies = {
            {"tail -40 /var/lib/dkms/nvidia/*/build/make.log   (its first line with \"error\")", Scope::look},
            {"boot the distribution's own kernel, or the one before   (Advanced options in the boot menu)",
             Scope::machine},
            {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)", Scope::machine}};
    }
}

}  // namespace tocuda::doctor
