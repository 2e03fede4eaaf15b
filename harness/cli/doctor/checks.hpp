// tocuda, Apache-2.0.
// The checks of a machine, each a pure function of what was seen, in the order of their causes. A check returns nothing
// if it has nothing to say here. Files and folders alone are never a fault where the driver finds a usable GPU.
#pragma once

#include <vector>

#include "doctor/findings_by_state.hpp"
#include "doctor/seen.hpp"

namespace tocuda::doctor {

using Findings = std::vector<Finding>;

inline constexpr double gib = 1024.0 * 1024 * 1024;

Findings check_container(const Seen& seen);
Findings check_wsl(const Seen& seen);
Findings check_bus(const Seen& seen);
Findings check_module(const Seen& seen);
Findings check_nodes(const Seen& seen);
Findings check_library(const Seen& seen);
Findings check_health(const Seen& seen);
Findings check_initialisation(const Seen& seen);
Findings check_visibility(const Seen& seen);
Findings check_mig(const Seen& seen);
Findings check_compute_mode(const Seen& seen);
Findings check_memory(const Seen& seen);

// Notes, never faults: what may slow a usable GPU down, or has gone wrong on it before.
Findings check_kernel_log(const Seen& seen);
Findings check_power(const Seen& seen);
Findings check_link(const Seen& seen);
Findings check_iommu(const Seen& seen);
Findings check_shared_memory(const Seen& seen);
Findings check_imex(const Seen& seen);

// Whether the variable CUDA_VISIBLE_DEVICES, or MIG without instances, leaves no GPU: cuInit then answers 100.
bool hidden_by_variable(const Seen& seen);
bool mig_without_instances(const Seen& seen);

// What NVML's state of the fabric says about cuInit's 802; nullopt if it is not the reason.
std::optional<Finding> fabric_not_ready(const Seen& seen);

// Why this process has no channel to the memory of other nodes, which IMEX gives out; nullopt if it has one.
std::optional<Finding> no_imex_channel(const Seen& seen);

// NVML's view of a GPU of CUDA; null if there is none.
const GpuHealth* health_of(const Seen& seen, const CudaGpu& gpu);

// "GPU 3 at 00000000:5e:00.0", and its number, or its address, for nvidia-smi's -i. A pasted text may lack either.
std::string name_of_gpu(const GpuHealth& gpu);
std::string number_of_gpu(const GpuHealth& gpu);

// How many GPUs NVML reports with a fault that other GPUs do not share.
std::size_t gpus_with_faults(const Seen& seen);

// The probe's reason why it could not report this field; empty if it could.
std::string why_missing(const Seen& seen, std::string_view field);

}  // namespace tocuda::doctor
