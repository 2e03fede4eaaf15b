// tocuda, Apache-2.0.
// What a text shows of a driver that is not loaded: the kernel that runs, the modules that were built, the GPU's age.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/message/origin.hpp"
#include "model/explanation.hpp"

namespace tocuda::doctor {

// "5.15.0-100-generic" of "Linux HOST 5.15.0-100-generic #110-Ubuntu SMP" and the like; empty if the text shows none.
std::string_view running_kernel_in(std::string_view text);

// The versions of drivers in a text, as "535.54", "580.173.02": three digits, and no part of a longer number.
std::vector<std::string> driver_versions_in(std::string_view text);

// The last branch of the driver for the old GPU that the text names; 0 if it names none.
int last_branch_for_gpu_in(std::string_view text);

// Installs a branch of the driver: "sudo apt install nvidia-driver-580   (...)".
std::string install_branch(int branch, Distribution distribution);

// Where nvidia-smi finds no driver: what the text says of the reason.
void tell_of_silent_driver(std::string_view text, std::size_t at, Explanation& told);

// Where the driver's module cannot be compiled: what the compiler said.
void tell_of_failed_build(std::string_view text, std::size_t at, Explanation& told);

// By the generation of the GPU that the text names: which kind of module it needs. False if that says nothing.
bool tell_of_kind(std::string_view text, Explanation& told);

// "is not supported by open nvidia.ko", "requires use of the NVIDIA open kernel modules"
void read_other_module(std::string_view text, std::size_t at, Explanation& told);

// "supported through the NVIDIA 580.xx Legacy drivers"
void tell_of_legacy_branch(std::string_view text, std::size_t at, Explanation& told);

// "the client has the version 550.120, but this kernel module has the version 550.107", over several lines of a log;
// "nvidia.ko(418.152.00) nvidia-modeset.ko(430.64)"; "NVML library version: 580.178".
void read_module_and_library(std::string_view text, std::size_t at, Explanation& told);

// "bbswitch: disabling discrete graphics"
void tell_of_bbswitch(std::string_view text, std::size_t at, Explanation& told);

// "RmInitAdapter failed! (0x24:0x72:1568)"
void tell_of_failed_start(std::string_view text, std::size_t at, Explanation& told);

constexpr auto build_for_kernel =
    "sudo apt install linux-headers-$(uname -r) && sudo dkms autoinstall   (Fedora: kernel-devel-$(uname -r))";
constexpr auto why_silent =
    "uname -r; dkms status; lspci -nnk -d 10de:; mokutil --sb-state   (dkms: a module for this kernel? lspci: no line: "
    "slot, riser or power; nouveau: it holds the GPU. Secure Boot: needs a signed module)";

}  // namespace tocuda::doctor
