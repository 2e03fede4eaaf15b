// tocuda, Apache-2.0.
// What apt, dnf, pacman and akmods say when they install the driver, the toolkit or the container toolkit.
#include <fmt/core.h>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto toolkit_list =
    "curl -sL https://nvidia.github.io/libnvidia-container/stable/deb/nvidia-container-toolkit.list | sed 's#deb "
    "https://#deb [signed-by=/usr/share/keyrings/nvidia-container-toolkit-keyring.gpg] https://#' | sudo tee "
    "/etc/apt/sources.list.d/nvidia-container-toolkit.list   (for every Debian and Ubuntu; then: sudo apt update)";
constexpr auto keyring =
    "wget https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2204/x86_64/cuda-keyring_1.1-1_all.deb && "
    "sudo "
    "dpkg -i cuda-keyring_1.1-1_all.deb   (with the name of that distribution; then apt update; undo: sudo apt remove "
    "cuda-keyring)";

// "Depends: libc6 (>= 2.34) but 2.31-13+deb11u7 is to be installed"
bool tell_of_other_release(std::string_view text, Explanation& told) {
    const auto needed = between(text, "Depends: libc6 (>= ", ")");
    if (!needed) return false;
    const auto at = text.find("Depends: libc6 (>= ");
    const auto has = between(text_near(text, at, 0, 100), " but ", " is to be");
    told.certain = true;
    told.meaning =
        "The packages are built for a newer release than this system: a repository of another distribution or release "
        "is in apt's list.";
    if (has) told.arithmetic.push_back(fmt::format("they need libc6 {}, and this system has {}", *needed, *has));
    told.remedies = {
        {"cat /etc/os-release; grep -rhE 'nvidia|graphics-drivers|ubuntu' /etc/apt/sources.list*   (which one is of "
         "another release?)",
         Scope::look},
        {"sudo mv /etc/apt/sources.list.d/THAT.list /root/ && sudo apt update   (undo: move it back)", Scope::machine},
        {keyring, Scope::machine}};
    return true;
}

// Packages that have a reason of their own.
bool tell_of_known_packages(std::string_view message, Explanation& told) {
    if (contains(message, "libtinfo5")) {
        told.arithmetic.emplace_back(
            "libtinfo5 is not in Ubuntu 24.04 and newer: Nsight of a toolkit up to 12.4 wants it, and nvcc does not");
        told.remedies = {
            {"sudo apt install cuda-nvcc-12-4 cuda-libraries-dev-12-4 cuda-cudart-dev-12-4   (of the version "
             "that is wanted: the toolkit without Nsight; undo: sudo apt remove these)",
             Scope::machine},
            {"sudo apt install cuda-toolkit-12-8   (or 12.5 and newer, from the repository for ubuntu2404; "
             "undo: sudo apt remove cuda-toolkit-12-8)",
             Scope::machine}};
        return true;
    }
    if (contains(message, "libcudnn")) {
        told.arithmetic.emplace_back(
            "the packages of cuDNN have to be of one version: apt would take the newest of each");
        told.remedies = {
            {"apt-cache policy libcudnn8 libcudnn8-dev libcudnn9-cuda-12; apt-mark showhold", Scope::look},
            {"sudo apt install libcudnn8=VERSION libcudnn8-dev=VERSION   (one that both list, with the "
             "+cuda of the toolkit; undo: sudo apt remove both)",
             Scope::machine},
            {"sudo apt-mark unhold libcudnn8 libcudnn8-dev   (if it lists them; undo: hold)", Scope::machine}};
        return true;
    }
    if (contains(message, " nvidia-cuda-toolkit") || contains(message, " nvidia-cuda-dev")) {
        told.arithmetic.emplace_back(
            "nvidia-cuda-toolkit is the distribution's own toolkit, and excludes NVIDIA's packages: one of the two");
        told.remedies = {
            {"sudo apt remove nvidia-cuda-toolkit nvidia-cuda-dev && sudo apt --fix-broken install   (then "
             "NVIDIA's: sudo apt install cuda-toolkit-12-8; undo: sudo apt install nvidia-cuda-toolkit)",
             Scope::machine},
            {"dpkg -l | grep -iE 'nvidia|cuda' | grep -v ^rc; grep -rh nvidia /etc/apt/sources.list.d", Scope::look}};
        return true;
    }
    return false;
}

// " cuda-11-8 : Depends: cuda-runtime-11-8 (>= 11.8.0) but it is not going to be installed"
void read_unmet(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 600, 2000);
    const auto begin = message.find(" cuda");
    const auto depends = message.find(" : Depends: ");
    if (tell_of_known_packages(message, told)) return;
    if (begin == std::string_view::npos || depends == std::string_view::npos || begin > depends) return;
    const auto name = message.substr(begin + 1, message.find_first_of(" :", begin + 1) - begin - 1);
    if (name.starts_with("cuda-drivers") || name.starts_with("cuda-toolkit")) return;
    const auto version = name.starts_with("cuda-1") ? std::string(name.substr(4)) : std::string("-12-8");
    told.arithmetic.push_back(fmt::format(
        "{} brings a driver besides the toolkit, and that excludes the one that is there; cuda-toolkit{} has none",
        name, version));
    told.certain = true;
    told.remedies = {
        {fmt::format("sudo apt install cuda-toolkit{0}   (the toolkit alone: the driver stays; undo: sudo apt "
                     "remove cuda-toolkit{0})",
                     version),
         Scope::machine},
        {"dpkg -l | grep -iE 'nvidia|cuda' | grep -v ^rc; grep -rh nvidia /etc/apt/sources.list.d", Scope::look},
        {"apt-mark showhold   (packages that apt must not change)", Scope::look}};
}

// "nvidia-kernel-common-530 (>= 530.41.03) but 530.30.02-0ubuntu1 is to be installed"
void read_mixed_packages(std::string_view text, std::size_t found, Explanation& told) {
    if (contains(text, "nvidia-docker2 : Depends: docker-ce")) {
        told.certain = true;
        told.meaning =
            "nvidia-docker2 asks for exactly one version of Docker. It is obsolete: nvidia-container-toolkit has taken "
            "its place and works with each.";
        told.remedies = {{toolkit_list, Scope::machine},
                         {"sudo apt install nvidia-container-toolkit && sudo nvidia-ctk runtime configure "
                          "--runtime=docker   (undo: sudo apt remove nvidia-container-toolkit)",
                          Scope::machine},
                         {"sudo systemctl restart docker   (then; it stops the containers that run)", Scope::others}};
        return;
    }
    if (tell_of_other_release(text, told)) return;
    const auto at = text.find("nvidia-kernel-common-");
    const auto branch =
        at == std::string_view::npos ? std::nullopt : number_after(text.substr(at), "nvidia-kernel-common-");
    if (!branch || !contains(text_near(text, at, 0, 200), " but ")) return read_unmet(text, found, told);
    told.certain = true;
    told.arithmetic.push_back(fmt::format(
        "Ubuntu's packages and NVIDIA's own of branch {} are mixed: they are of different versions", *branch));
    told.remedies = {
        {fmt::format("apt-cache policy nvidia-driver-{0} nvidia-kernel-common-{0}   (which source offers which "
                     "version)",
                     *branch),
         Scope::look},
        {"printf 'Package: *nvidia*\\nPin: origin developer.download.nvidia.com\\nPin-Priority: 900\\n' | sudo tee "
         "/etc/apt/preferences.d/nvidia && sudo apt update && sudo apt --fix-broken install   (all from NVIDIA's "
         "repository; undo: remove that file)",
         Scope::machine},
        {"sudo mv /etc/apt/sources.list.d/cuda*.list /root/ && sudo apt update && sudo apt --fix-broken install   (or "
         "all from Ubuntu; undo: move it back)",
         Scope::machine}};
}

// Where a distribution has the driver. False where that is the same for all.
bool tell_of_repository(Distribution distribution, Explanation& told) {
    switch (distribution) {
        case Distribution::fedora:
            told.meaning = "The driver for Fedora is in RPM Fusion's repository nonfree, which is not switched on.";
            told.remedies = {
                {"sudo dnf install https://mirrors.rpmfusion.org/free/fedora/rpmfusion-free-release-$(rpm -E "
                 "%fedora).noarch.rpm https://mirrors.rpmfusion.org/nonfree/fedora/rpmfusion-nonfree-release-$(rpm -E "
                 "%fedora).noarch.rpm   (undo: sudo dnf remove rpmfusion-free-release rpmfusion-nonfree-release)",
                 Scope::machine},
                {"sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda   (then wait until `modinfo nvidia` finds "
                 "it, and reboot)",
                 Scope::machine}};
            return true;
        case Distribution::enterprise:
            told.meaning =
                "The repository of NVIDIA or EPEL, which has dkms, is not switched on, or a module stream hides its "
                "packages.";
            told.remedies = {
                {"yum repolist; dnf module list nvidia-driver", Scope::look},
                {"sudo yum install epel-release   (dkms; undo: sudo yum remove epel-release)", Scope::machine},
                {"sudo dnf module reset nvidia-driver && sudo dnf module enable nvidia-driver:open-dkms   "
                 "(RHEL 8 and 9; undo: sudo dnf module reset nvidia-driver)",
                 Scope::machine}};
            return true;
        case Distribution::arch:
            told.meaning =
                "Arch renamed its driver with 590: nvidia-open, nvidia-open-lts and nvidia-open-dkms took the place of "
                "nvidia, nvidia-lts and nvidia-dkms, for Turing and newer.";
            told.remedies = {{"sudo pacman -Syu nvidia-open   (nvidia-open-dkms with another kernel than linux and "
                              "linux-lts; undo: sudo pacman -R nvidia-open)",
                              Scope::machine},
                             {"yay -S nvidia-580xx-dkms nvidia-580xx-utils   (of the AUR, before Turing: GTX 10 and "
                              "older)",
                              Scope::machine}};
            return true;
        default:
            return false;
    }
}

void read_unknown_package(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (contains(line, "container-toolkit") || contains(line, "nvidia-docker")) {
        told.remedies = {{toolkit_list, Scope::machine},
                         {"sudo apt install nvidia-container-toolkit   (nvidia-docker2 is obsolete; undo: sudo apt "
                          "remove nvidia-container-toolkit)",
                          Scope::machine}};
        return;
    }
    if (tell_of_repository(origin_of(text).distribution, told)) return;
    if (contains_any(text, {"bookworm", "bullseye", "trixie", "deb.debian.org", "Debian"}))
        told.remedies = {{"sudo apt-add-repository contrib non-free non-free-firmware && sudo apt update   (Debian: "
                          "where its driver is; undo: the same with --remove)",
                          Scope::machine},
                         {"sudo apt install linux-headers-amd64 nvidia-driver   (then reboot; undo: sudo apt remove "
                          "nvidia-driver)",
                          Scope::machine}};
}

}  // namespace

Functions system_package_functions() {
    return {.readings = {{"read_mixed_packages", read_mixed_packages}, {"read_unknown_package", read_unknown_package}}};
}

}  // namespace tocuda::doctor
