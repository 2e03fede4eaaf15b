// tocuda, Apache-2.0.
#include "doctor/message/driver_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto try_module = "sudo modprobe nvidia; sudo dmesg | grep -iE 'nvrm|nvidia' | tail   (its words say why)";

bool is_kernel(std::string_view word) {
    return word.size() >= 5 && std::isdigit(static_cast<unsigned char>(word[0])) != 0 && contains(word, ".") &&
           word.find('.') <= 2 && contains_any(word, {"-", "_"});
}

// The kernels of `dkms status`: "nvidia/535.129.03, 6.2.0-36-generic, x86_64: installed"
std::vector<std::string_view> kernels_of_dkms(std::string_view text) {
    std::vector<std::string_view> kernels;
    for (auto at = text.find("nvidia"); at != std::string_view::npos; at = text.find("nvidia", at + 1)) {
        const auto line = text_near(line_around(text, at), 0, 0, 200);
        if (!contains_any(line, {": installed", ": built", ": added"}) || !contains(line, "_64")) continue;
        for (auto comma = line.find(", "); comma != std::string_view::npos; comma = line.find(", ", comma + 2)) {
            const auto rest = line.substr(comma + 2);
            const auto word = rest.substr(0, rest.find_first_of(", "));
            if (is_kernel(word)) kernels.push_back(word);
        }
    }
    return kernels;
}

bool is_after_upgrade(std::string_view text) {
    return contains_any(
        text, {"unattended-upgrade", "Upgrade: ", "apt upgrade", "apt-get upgrade", "dist-upgrade", "full-upgrade",
               "pacman -Syu", "dnf upgrade", "dnf update", "yum update", "automatic update"});
}

bool is_after_new_kernel(std::string_view text) {
    return contains_any(text, {"kernel update", "kernel upgrade", "upgrade the kernel", "update the kernel",
                               "updated the kernel", "upgraded the kernel", "new kernel", "updating the kernel",
                               "upgrading the kernel", "` kernel", "older kernel", "previous kernel", "linux-image-"});
}

// Places whose driver is not the reader's own to mend.
bool tell_of_place(std::string_view text, const Origin& origin, Explanation& told) {
    if (origin.is_in("Slurm")) {
        told.remedies = {"srun --gres=gpu:1 nvidia-smi   (login nodes have no GPU, and a job sees what it asked for)",
                         {"sinfo -o '%P %N %G'   (which partition has which GPUs?)", Scope::look},
                         {"tocuda doctor   (in that job)", Scope::look}};
    } else if (origin.is_in("Colab")) {
        told.meaning =
            "This runtime of Colab has no GPU, or the shell does not find Colab's driver, which lies in "
            "/usr/lib64-nvidia. Nothing has to be installed there.";
        told.remedies = {
            "Runtime, Change runtime type: a GPU   (then again; a limit of use also ends it)",
            "LD_LIBRARY_PATH=/usr/lib64-nvidia nvidia-smi   (in a shell of ssh, which lacks the notebook's variables)"};
    } else if (origin.is_in("Kaggle")) {
        told.remedies = {"Settings, Accelerator: a GPU   (this session has none)"};
    } else if (origin.is_in("Kubernetes")) {
        told.meaning =
            "The driver is not loaded on that node: a container, that of the GPU operator too, can only use what the "
            "node's kernel has loaded.";
        told.remedies = {
            {"kubectl logs -n gpu-operator -l app=nvidia-driver-daemonset -c nvidia-driver-ctr --tail=40   (why that "
             "one could not load it)",
             Scope::look},
            {"lsmod | grep -E 'nvidia|nouveau'; sudo dmesg | grep -iE 'nvrm|nvidia' | tail   (on the node)",
             Scope::look},
            {"helm upgrade ... --set driver.enabled=false   (where the node has a driver of its own already; undo: "
             "=true)",
             Scope::machine}};
    } else if (origin.is_in("LXD") || (origin.is_in("LXC") && contains_any(text, {"LXC", "ontainer"}))) {
        told.meaning =
            "In a container of this kind the host's kernel drives the GPU: the driver is not loaded on the host, the "
            "container lacks /dev/nvidia*, or its libraries are of another version than the host's module.";
        told.remedies = {
            {"nvidia-smi; cat /proc/driver/nvidia/version   (on the host: does it work there?)", Scope::look},
            {"ls -l /dev/nvidia*; ldconfig -p | grep nvidia-ml   (in the container: the nodes, and the same version?)",
             Scope::look},
            {"docker run --gpus all ...", Scope::command}};
    } else {
        return false;
    }
    return true;
}

void tell_of_windows(Explanation& told) {
    told.meaning =
        "nvidia-smi is there and the Windows driver does not answer: it did not start, its installation is not "
        "whole, or Windows has stopped or disabled the GPU.";
    told.remedies = {
        {"Device Manager, Display adapters   (the NVIDIA GPU, and a warning sign with a code?)", Scope::look},
        {"install NVIDIA's current driver with \"Perform a clean installation\"   (then restart Windows; "
         "undo: the version before)",
         Scope::machine}};
}

bool tell_of_old_gpu(std::string_view text, const Origin& origin, Explanation& told) {
    const auto last = last_branch_for_gpu_in(text);
    if (last == 0) return false;
    const auto versions = driver_versions_in(text);
    const bool fits = std::ranges::any_of(versions, [&](const auto& one) { return std::stoi(one) <= last; });
    if (fits) return false;
    told.arithmetic.push_back(fmt::format(
        "the text names a GPU whose last driver is of branch {}: newer ones, which installers take, ignore it", last));
    told.remedies = {{why_silent, Scope::look},
                     {install_branch(last, origin.distribution), Scope::machine},
                     {try_module, Scope::machine}};
    return true;
}

// Where `dkms status` and `uname -r` are both in the text, they settle it.
bool tell_of_kernels(std::string_view text, Explanation& told) {
    const auto running = running_kernel_in(text);
    const auto built = kernels_of_dkms(text);
    if (running.empty() || built.empty()) return false;
    if (std::ranges::find(built, running) != built.end()) {
        told.arithmetic.push_back(fmt::format(
            "dkms has the module for {}, the kernel that runs: it was built, and is not loaded or was refused",
            running));
        told.remedies = {{try_module, Scope::machine},
                         {"mokutil --sb-state; lspci -nnk -d 10de:; grep -r nvidia /etc/modprobe.d   (Secure Boot, "
                          "nouveau, a blacklist)",
                          Scope::look}};
        return true;
    }
    told.certain = true;
    told.arithmetic.push_back(
        fmt::format("dkms has a module for {}, and the kernel that runs is {}", built.front(), running));
    told.remedies = {{build_for_kernel, Scope::machine},
                     {try_module, Scope::machine},
                     {"reboot into the other kernel   (until then: Advanced options in the boot menu)", Scope::others}};
    return true;
}

bool tell_of_secure_boot(std::string_view text, Explanation& told) {
    const auto small = lower(text);
    if (!contains_any(small, {"secureboot enabled", "secure boot is enabled", "secure boot enabled",
                              "secure boot is on", "mok enrol", "mok manag", "enroll mok", "with secure boot"}))
        return false;
    told.arithmetic.emplace_back("Secure Boot is on, which loads only modules signed with an enrolled key");
    if (contains(small, "azure"))
        told.remedies = {
            {"mokutil --sb-state", Scope::look},
            {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: its packages are signed)", Scope::machine},
            {"az vm update --resource-group GROUP --name VM --enable-secure-boot false   (Azure, while it is "
             "deallocated; its boot screen, which enrols keys, cannot be reached by ssh; undo: true)",
             Scope::machine}};
    else
        told.remedies = {{try_module, Scope::machine},
                         {"sudo mokutil --import /var/lib/shim-signed/mok/MOK.der   (Ubuntu; then reboot and enrol the "
                          "key; undo: sudo mokutil --delete; or switch Secure Boot off in the firmware)",
                          Scope::machine}};
    return true;
}

// "lspci -nn" of the text: is the GPU on the bus?
bool shows_gpu_on_bus(std::string_view text) {
    return contains(text, "controller: NVIDIA") || contains(text, "[10de:");
}

}  // namespace

std::string_view running_kernel_in(std::string_view text) {
    if (const auto folder = between(text, "not found in directory /lib/modules/", "\n"))
        return folder->substr(0, folder->find_first_of(" \r"));
    for (const std::string_view label : {"uname -r\n", "uname -r`\n", "Kernel: Linux ", "Kernel: ", "kernel: "}) {
        const auto at = text.find(label);
        if (at == std::string_view::npos) continue;
        auto rest = text.substr(at + label.size(), 80);
        rest.remove_prefix(std::min(rest.find_first_not_of("> `$\n"), rest.size()));
        if (rest.starts_with("x86_64 Linux ")) rest.remove_prefix(13);
        const auto word = rest.substr(0, rest.find_first_of(" \r\n`"));
        if (is_kernel(word)) return word;
    }
    const auto at = text.find("\nLinux ");
    if (at == std::string_view::npos) return "";
    return between(text.substr(at + 7, 200), " ", " ").value_or("");
}

std::vector<std::string> driver_versions_in(std::string_view text) {
    const auto is_digit = [](char each) { return std::isdigit(static_cast<unsigned char>(each)) != 0; };
    std::vector<std::string> found;
    for (std::size_t at = 0; at < text.size();) {
        const auto begin = text.find_first_of("0123456789", at);
        if (begin == std::string_view::npos) break;
        const auto end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
        auto number = text.substr(begin, end - begin);
        at = end;
        while (number.ends_with('.')) number.remove_suffix(1);
        const auto parts = 1 + std::count(number.begin(), number.end(), '.');
        const auto last = number.size() - number.rfind('.') - 1;
        if (number.find('.') == 3 && (parts == 2 || parts == 3) && last <= 3 && is_digit(number.back()))
            found.emplace_back(number);
    }
    return found;
}

void tell_of_silent_driver(std::string_view text, std::size_t, Explanation& told) {
    const auto origin = origin_of(text);
    if (origin.wsl) return tell_of_wsl(text, told);
    if (tell_of_place(text, origin, told)) return;
    if (origin.windows) return tell_of_windows(told);
    if (contains(text, "prime-select")) {
        told.remedies = {
            {"prime-select query; lsmod | grep nvidia   (\"intel\": the NVIDIA GPU is switched off)", Scope::look},
            {"sudo prime-select nvidia   (or on-demand; then reboot; undo: sudo prime-select intel)", Scope::machine}};
        return;
    }
    if (tell_of_old_gpu(text, origin, told) || tell_of_kernels(text, told) || tell_of_secure_boot(text, told)) return;
    const Remedy build{build_for_kernel, Scope::machine};
    if (is_after_new_kernel(text)) {
        told.arithmetic.emplace_back("the text tells of another kernel, for which the module has to be built anew");
        told.remedies = {
            {"uname -r; dkms status; mokutil --sb-state   (is there a module for this kernel?)", Scope::look},
            build,
            {try_module, Scope::machine}};
    } else if (is_after_upgrade(text)) {
        told.arithmetic.emplace_back(
            "the text tells of an upgrade: the module that was loaded and the packages are no longer the same");
        told.remedies = {
            {"uname -r; dkms status; modinfo -F version nvidia   (a module for this kernel?)", Scope::look},
            build,
            {"sudo reboot   (after the upgrade, once dkms has the module; ends every program there)", Scope::others}};
    } else {
        told.remedies = {{why_silent, Scope::look}, {try_module, Scope::machine}, build};
        if (shows_gpu_on_bus(text)) std::swap(told.remedies[0], told.remedies[1]);
        constexpr std::size_t bare = 300;
        if (text.size() < bare && origin.distribution == Distribution::debian)
            told.remedies.emplace_back(
                "srun --gres=gpu:1 nvidia-smi   (on a cluster with Slurm: login nodes have no "
                "GPU)");
    }
}

}  // namespace tocuda::doctor
