// tocuda, Apache-2.0.
// NVSwitches and their fabric manager, MIG, and DCGM, which watches GPUs.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// "Job for nvidia-fabricmanager.service failed", above the table of a GeForce.
void read_service(std::string_view text, std::size_t, Explanation& told) {
    const bool has_switches =
        contains_any(text, {"HBM", "SXM", "HGX", "DGX", "A100", "H100", "H200", "B200", "H20", "V100"});
    if (has_switches || !contains_any(text, {"GeForce", "RTX", "Quadro", "L40", "A40", "A10", "T4", "PCIe"})) return;
    told.certain = true;
    told.meaning =
        "The fabric manager sets up NVSwitches, which these GPUs do not have: it has nothing to do and ends. No fault, "
        "and nothing needs it here; links between two cards work without it.";
    told.remedies = {{"lspci -d 10de: | grep -i bridge   (the NVSwitches, if any)", Scope::look},
                     {"sudo systemctl disable nvidia-fabricmanager   (undo: enable)", Scope::machine}};
}

// "Unable to enable MIG Mode for GPU 00000000:01:00.0: Not Supported"
void read_mig(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (contains_any(line, {"Not Supported", "not supported"})) {
        told.meaning =
            "This GPU has no MIG. Only A100, A30, H100, H200, B200 and their like, and the RTX PRO 6000 of Blackwell, "
            "can be "
            "divided so; no GeForce can.";
        told.remedies = {
            {"nvidia-smi --query-gpu=name,mig.mode.current --format=csv   ([N/A]: it has none)", Scope::look},
            "nvidia-cuda-mps-control -d   (MPS: several processes share the GPU at the same time)",
            "use time slicing   (Kubernetes: sharing.timeSlicing in the device plugin's configuration)"};
    } else if (contains_any(line, {"Insufficient Resources", "Insufficient resources"}))
        told.arithmetic.emplace_back(
            "there is no room left for this profile beside the instances that are there, or not at a place where it "
            "may "
            "begin: make the largest first");
}

constexpr auto newer_dcgm = "use a newer DCGM or dcgm-exporter   (one that is newer than this GPU)";
constexpr auto dcgm_with_rights =
    "docker run --gpus all --cap-add SYS_ADMIN ...   (profiling needs it; Kubernetes: "
    "securityContext.capabilities.add: [SYS_ADMIN])";
constexpr auto log_of_dcgm =
    "dcgmi --version; dcgmi modules -l; tail /var/log/nv-hostengine.log   (why the module failed)";

// "Not collecting DCP metrics": the exporter asked which there are, and goes on without them.
void read_profiling(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "Not collecting DCP metrics")) return;
    told.remedies = {newer_dcgm, {log_of_dcgm, Scope::look}, dcgm_with_rights};
}

}  // namespace

Functions fabric_functions() {
    return {.readings = {{"read_profiling", read_profiling}, {"read_service", read_service}, {"read_mig", read_mig}}};
}

}  // namespace tocuda::doctor
