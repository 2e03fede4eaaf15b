// tocuda, Apache-2.0.
// What machine and program an error text is from, and their words for what is to be typed.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "doctor/message/excerpt.hpp"
#include "model/explanation.hpp"

namespace tocuda::doctor {

// The distribution of Linux that a text is from, and commands of Debian and Ubuntu as another one takes them.

// Debian and its kin are what commands are written for, and what a text is from that shows nothing else.
// "other": one without dkms packages of NVIDIA's or Ubuntu's kind, as Unraid, Gentoo and Void.
enum class Distribution { debian, fedora, enterprise, arch, suse, nixos, other };

Distribution distribution_of(std::string_view text);

// The command as that distribution takes it; empty if it has none for it.
std::string for_distribution(const std::string& command, Distribution distribution);

// The machine that an error text is from, as far as the text shows it, and commands that fit it.

// A program or a place that needs remedies in words of its own.
struct Setting {
    std::string_view name;
    std::array<std::string_view, 8> signs;
    std::string_view typed;          // what is typed there instead of "python ..." or "docker run --gpus all ..."
    std::string_view less_memory{};  // instead of "use a smaller batch"
    std::string_view anew{};         // instead of an installation of PyTorch, where the program does not stand on it
    bool torch = false;              // whether it stands on PyTorch
};

struct Origin {
    bool windows = false;
    bool uv = false;     // it names uv
    bool conda = false;  // its paths are those of a conda environment
    bool wsl = false;
    bool macos = false;
    bool jetson = false;
    bool amd = false;    // it names an AMD GPU, and none of NVIDIA
    bool intel = false;  // or of Intel
    // The Python of a program that starts by a launcher and takes no other: "C:\ComfyUI\venv\Scripts\python", or
    // in words where the text does not show it. Empty: none.
    std::string own_python{};
    const Setting* program = nullptr;  // null: a program in Python of one's own
    const Setting* place = nullptr;    // where GPUs are asked for in another way than with docker: podman, Slurm
    Distribution distribution = Distribution::debian;
    std::optional<int> driver_cuda{};           // of a driver that the text shows: 11040 for 11.4
    std::optional<std::string_view> visible{};  // what the text sets CUDA_VISIBLE_DEVICES to

    bool is_in(std::string_view name) const { return place && place->name == name; }
    bool runs(std::string_view name) const { return program && program->name == name; }
    bool uses_torch() const { return !program || program->torch; }
};

Origin origin_of(std::string_view text);

constexpr auto jetson_wheels =
    "install NVIDIA's wheel of PyTorch for this JetPack: "
    "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/";

// Into a new environment, so that nothing that exists changes, unless the program takes its own Python only. `build` is
// "cu126" or such; empty: the default one.
std::string install_torch(const Origin& origin, const std::string& build);

// The command as that machine and program take it; empty if it makes no sense there.
std::string fitting(const std::string& command, const Origin& origin);

// The program that an error text is from, where its remedies are in words of its own.

// The first of them that the text has a sign of; null if there is none.
const Setting* setting_in(std::string_view text, const auto& all) {
    const auto is_there = [&](std::string_view sign) { return !sign.empty() && contains(text, sign); };
    const auto* const found =
        std::ranges::find_if(all, [&](const Setting& one) { return std::ranges::any_of(one.signs, is_there); });
    return found == all.end() ? nullptr : found;
}

// Null for a program in Python of one's own that stands on PyTorch, or does not show what it stands on.
const Setting* program_of(std::string_view text);

// The Windows Subsystem for Linux, whose driver is that of Windows.

// If the text is from WSL, the explanation of an error that has another cause there than on other machines.
void tell_of_wsl(std::string_view text, Explanation& told);

}  // namespace tocuda::doctor
