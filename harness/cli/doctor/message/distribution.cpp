// tocuda, Apache-2.0.
#include <algorithm>
#include <array>
#include <vector>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

struct Signs {
    Distribution of;
    std::vector<std::string_view> kernels;  // in names of kernels and paths, which do not lie
    std::vector<std::string_view> words;    // a mention, which counts where nothing shows apt
};

const auto signs_of_distributions = std::to_array<Signs>(
    {{Distribution::fedora,
      {".fc2", ".fc3", ".fc4", "akmod", "rpmfusion"},
      {"Fedora", "fedora", "RPM Fusion", "Nobara", "Bazzite", "Silverblue"}},
     {Distribution::enterprise,
      {".el7", ".el8", ".el9", ".el10", ".amzn2", "/etc/yum.repos.d"},
      {"CentOS", "Centos", "Rocky Linux", "AlmaLinux", "Red Hat Enterprise", "RHEL", "yum install", "dnf install"}},
     {Distribution::arch,
      {"-arch1", "-arch2", "-cachyos", "-MANJARO", "-manjaro", "-zen1", "-zen2", "==> dkms", "-tkg", "archlinux",
       "/etc/mkinitcpio", "linux-lts", "linux-zen"},
      {"pacman", "Arch Linux", "arch linux", "on Arch ", "on Arch,", "Manjaro", "EndeavourOS", "CachyOS", "Omarchy",
       "makepkg", "yay -S"}},
     {Distribution::suse, {".suse", "openSUSE", "opensuse"}, {"zypper", "SUSE Linux"}},
     {Distribution::nixos, {"/nix/store", "NixOS", "nixos"}, {"nixpkgs"}},
     {Distribution::other,
      {"-Unraid", "-unraid", "-gentoo", "xbps-install"},
      {"Unraid", "UNRAID", "Gentoo", "Void Linux", "Slackware"}}});

constexpr auto of_debian = {"apt install", "apt-get", "/etc/apt/", "dpkg", "Ubuntu SMP", "-Ubuntu", "Debian"};

// What a part of a command for Debian is elsewhere, in the order of the distributions after it.
struct Part {
    std::string_view debian;
    std::array<std::string_view, 5> others;
};
constexpr std::string_view no_command = "-";  // there is no such command

constexpr auto packages_of_rpm = "rpm -qa | grep -iE 'nvidia|cuda'";
constexpr auto in_configuration =
    "hardware.nvidia.package = config.boot.kernelPackages.nvidiaPackages.stable;   (in configuration.nix, then: sudo "
    "nixos-rebuild switch)";

// The longer ones first: each is looked for in what the ones before it have left.
constexpr auto parts_of_commands = std::to_array<Part>(
    {{"sudo apt install linux-headers-$(uname -r) && sudo dkms autoinstall",
      {"sudo dnf install kernel-devel-$(uname -r) && sudo akmods --force",
       "sudo yum install kernel-devel-$(uname -r) && sudo dkms autoinstall",
       "sudo pacman -S linux-headers && sudo dkms autoinstall",
       "sudo zypper install kernel-default-devel && sudo dkms autoinstall", in_configuration}},
     {"   (Fedora: kernel-devel-$(uname -r))",
      {"   (builds the module for this kernel; with dkms instead of akmods: sudo dkms autoinstall)",
       "   (builds the module for this kernel)",
       "   (or linux-lts-headers, linux-zen-headers: of the kernel that runs; if that is no longer the installed one, "
       "reboot first)",
       "   (builds the module for this kernel)", " "}},
     {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)",
      {"sudo dnf install akmod-nvidia   (from RPM Fusion; then wait until `modinfo nvidia` finds it, and reboot)",
       "sudo yum install nvidia-open   (from NVIDIA's repository; before Turing: cuda-drivers-580)",
       "sudo pacman -S nvidia-open-dkms   (Turing and newer; before it: nvidia-580xx-dkms of the AUR)",
       "sudo zypper install nvidia-open-driver-G06-signed-kmp-meta   (Turing and newer)", in_configuration}},
     {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: its packages are signed)",
      {"sudo dnf install akmod-nvidia   (from RPM Fusion, instead of a runfile)",
       "sudo yum install nvidia-open   (from NVIDIA's repository, instead of a runfile)",
       "sudo pacman -S nvidia-open-dkms   (instead of a runfile)",
       "sudo zypper install nvidia-open-driver-G06-signed-kmp-meta   (instead of a runfile)", in_configuration}},
     {"sudo ubuntu-drivers install ", {no_command, no_command, no_command, no_command, no_command}},
     {"sudo update-initramfs -u   (Fedora: sudo dracut --force; ",
      {"sudo dracut --force   (", "sudo dracut --force   (", "sudo mkinitcpio -P   (", "sudo dracut --force   (",
       no_command}},
     {"sudo update-initramfs -u",
      {"sudo dracut --force", "sudo dracut --force", "sudo mkinitcpio -P", "sudo dracut --force", no_command}},
     {"dpkg -l linux-headers-$(uname -r) | tail -1",
      {"rpm -q kernel-devel-$(uname -r)", "rpm -q kernel-devel-$(uname -r)", "pacman -Q | grep headers",
       "rpm -q kernel-default-devel", no_command}},
     {"dpkg -l | grep -iE 'nvidia|cuda' | grep -v ^rc; grep -rh nvidia /etc/apt/sources.list.d",
      {"rpm -qa | grep -iE 'nvidia|cuda'; grep -l nvidia /etc/yum.repos.d/*",
       "rpm -qa | grep -iE 'nvidia|cuda'; grep -l nvidia /etc/yum.repos.d/*", "pacman -Q | grep -iE 'nvidia|cuda'",
       "rpm -qa | grep -iE 'nvidia|cuda'; zypper lr -u", no_command}},
     {"dpkg -l | grep -i nvidia",
      {packages_of_rpm, packages_of_rpm, "pacman -Q | grep -i nvidia", packages_of_rpm, no_command}},
     {"apt-cache policy nvidia-driver-580 cuda-drivers",
      {"dnf list --showduplicates akmod-nvidia cuda-drivers", "yum list --showduplicates cuda-drivers", no_command,
       "zypper search -s nvidia", no_command}},
     {"/var/lib/shim-signed/mok/MOK.der   (Ubuntu; ",
      {"/etc/pki/akmods/certs/public_key.der   (", "/var/lib/dkms/mok.pub   (", "/var/lib/dkms/mok.pub   (",
       "/usr/share/nvidia-pubkeys/MOK-*.der   (", no_command}},
     {"whose two lines for apt are at", {"described at", "described at", "described at", "described at", no_command}},
     {"sudo apt install --only-upgrade",
      {"sudo dnf upgrade", "sudo yum update", "sudo pacman -Syu", "sudo zypper update", no_command}},
     {"sudo apt install --fix-broken", {no_command, no_command, no_command, no_command, no_command}},
     {"sudo apt install nvidia-container-toolkit",
      {"sudo dnf install nvidia-container-toolkit", "sudo yum install nvidia-container-toolkit",
       "sudo pacman -S nvidia-container-toolkit", "sudo zypper install nvidia-container-toolkit",
       "hardware.nvidia-container-toolkit.enable = true;   (in configuration.nix)"}},
     {"sudo apt remove nvidia-container-toolkit",
      {"sudo dnf remove nvidia-container-toolkit", "sudo yum remove nvidia-container-toolkit",
       "sudo pacman -R nvidia-container-toolkit", "sudo zypper remove nvidia-container-toolkit", no_command}},
     {"sudo apt install PACKAGE=VERSION",
      {"sudo dnf install PACKAGE-VERSION", "sudo yum install PACKAGE-VERSION", no_command,
       "sudo zypper install PACKAGE=VERSION", no_command}},
     {"sudo apt install PACKAGE",
      {"sudo dnf install PACKAGE", "sudo yum install PACKAGE", "sudo pacman -S PACKAGE", "sudo zypper install PACKAGE",
       no_command}},
     {"sudo apt remove PACKAGE",
      {"sudo dnf remove PACKAGE", "sudo yum remove PACKAGE", "sudo pacman -R PACKAGE", "sudo zypper remove PACKAGE",
       no_command}},
     {"sudo apt install gcc g++",
      {"sudo dnf install gcc gcc-c++", "sudo yum install gcc gcc-c++", "sudo pacman -S gcc",
       "sudo zypper install gcc gcc-c++", no_command}},
     {"sudo apt remove bbswitch-dkms",
      {"sudo dnf remove bbswitch", "sudo yum remove bbswitch", "sudo pacman -R bbswitch-dkms",
       "sudo zypper remove bbswitch", no_command}},
     {"sudo apt install bbswitch-dkms",
      {"sudo dnf install bbswitch", "sudo yum install bbswitch", "sudo pacman -S bbswitch-dkms",
       "sudo zypper install bbswitch", no_command}}});

// What only names packages or tools of Debian is left out.
std::string for_other(const std::string& command) {
    if (command.starts_with("sudo apt install linux-headers-$(uname -r)"))
        return "install the driver anew for the kernel that runs   (by the system's own package or plugin)";
    return contains_any(command, {"apt ", "apt-", "dpkg", "ubuntu-drivers", "update-initramfs"}) ? "" : command;
}

}  // namespace

Distribution distribution_of(std::string_view text) {
    const auto has = [&](std::string_view sign) { return contains(text, sign); };
    for (const auto& one : signs_of_distributions)
        if (std::ranges::any_of(one.kernels, has)) return one.of;
    if (std::ranges::any_of(of_debian, has)) return Distribution::debian;
    for (const auto& one : signs_of_distributions)
        if (std::ranges::any_of(one.words, has)) return one.of;
    return Distribution::debian;
}

std::string for_distribution(const std::string& command, Distribution distribution) {
    if (distribution == Distribution::debian) return command;
    if (distribution == Distribution::other) return for_other(command);
    const auto index = static_cast<std::size_t>(distribution) - 1;
    auto text = command;
    for (const auto& [debian, others] : parts_of_commands) {
        const auto at = text.find(debian);
        if (at == std::string::npos) continue;
        const auto& other = others[index];
        if (other == no_command) return "";
        text.replace(at, debian.size(), other);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

}  // namespace tocuda::doctor
