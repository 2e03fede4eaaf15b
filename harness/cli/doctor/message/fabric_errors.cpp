// tocuda, Apache-2.0.
// NVSwitches and their fabric manager, MIG, and DCGM, which watches GPUs.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto log_of_fabric = "sudo journalctl -u nvidia-fabricmanager -n 30; tail -30 /var/log/fabricmanager.log";

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
constexpr auto default_counters =
    "dcgm-exporter -f /etc/dcgm-exporter/default-counters.csv   (the counters that need no profiling)";
constexpr auto log_of_dcgm =
    "dcgmi --version; dcgmi modules -l; tail /var/log/nv-hostengine.log   (why the module failed)";

// "Not collecting DCP metrics": the exporter asked which there are, and goes on without them.
void read_profiling(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "Not collecting DCP metrics")) return;
    told.remedies = {newer_dcgm, {log_of_dcgm, Scope::look}, dcgm_with_rights};
}

// The library, the host engine and the module for profiling of DCGM.
std::vector<KnownError> errors_of_dcgm() {
    return {
        {.name = "DCGM: no profiling on this GPU",
         .needles = {"Profiling is not supported for this group of GPUs"},
         .meaning =
             "The counters DCGM_FI_PROF_* exist on data-centre GPUs only (V100, T4, A100 and newer), not on GeForce "
             "and most workstation GPUs, nor for a GPU that DCGM is too old for.",
         .remedies = {default_counters,
                      look("dcgmi profile -l -i 0; dcgmi --version   (what this GPU has; is DCGM newer than "
                           "the GPU?)"),
                      "take the lines with DCGM_FI_PROF_ out of the counters' file"}},
        {.name = "DCGM: profiling module not loaded",
         .needles = {"serviced by a module of DCGM that is not currently loaded", "Profiling module returned an un",
                     "DCGM_PROFILING_SR_WATCH_FIELDS failed", "DcgmModuleProfiling failed to initialize"},
         .meaning =
             "DCGM could not load its module for the counters DCGM_FI_PROF_*: it is older than the GPU or driver, has "
             "no right to profile, or another profiler (Nsight, another DCGM) holds the counters.",
         .remedies = {dcgm_with_rights, look(log_of_dcgm), newer_dcgm, default_counters},
         .read = read_profiling},
    };
}

}  // namespace

std::vector<KnownError> fabric_errors() {
    auto all = errors_of_dcgm();
    const std::vector<KnownError> of_fabric{
        {.name = "GPUDirect RDMA refuses the GPU's memory",
         .needles = {"Couldn't allocate MR", "Couldn't register GPU MR", "failed to create mr",
                     "ibv_reg_mr(gpu) failed", "ibv_reg_dmabuf_mr"},
         .meaning =
             "The network adapter could not register memory of the GPU: nvidia_peermem is not loaded (or was loaded "
             "before the InfiniBand drivers), dma-buf is not there, the GPU is a GeForce, which has no GPUDirect RDMA, "
             "or the piece is larger than its BAR1.",
         .remedies =
             {look("lsmod | grep -E 'peermem|peer_mem'; sudo dmesg | grep -iE 'peer|mlx5' | tail; nvidia-smi -q | grep "
                   "-A3 'BAR1 Memory'"),
              machine("sudo modprobe nvidia-peermem   (until the next boot)"),
              "ib_write_bw --use_cuda=0 --use_cuda_dmabuf ...   (with the open kernel module of driver 515 and newer "
              "and kernel 5.12: needs no peermem)",
              "NCCL_NET_GDR_LEVEL=LOC python ...   (NCCL without it: slower, through the host)"},
         .near = {"cuda", "CUDA", "GPU", "gpu"}},
        {.name = "fabric manager of another version",
         .needles = {"don't match with driver version", "does not match with driver version"},
         .meaning = "nvidia-fabricmanager starts only with the driver of exactly its version, so the NVSwitches are "
                    "not set up and CUDA returns 802.",
         .claims = {"001-08"},
         .remedies = {look("cat /proc/driver/nvidia/version; dpkg -l | grep fabricmanager"),
                      machine("sudo apt install nvidia-fabricmanager-BRANCH=VERSION   (the driver's; undo: the one "
                              "that dpkg showed)"),
                      machine("sudo systemctl start nvidia-fabricmanager")}},
        {.name = "fabric manager without NVSwitches",
         .needles = {"NVSwitch driver failed with error:WARNING Nothing to do"},
         .meaning = "This machine has no NVSwitches, so the fabric manager has nothing to do and ends: no fault, "
                    "unless there should be some.",
         .remedies = {look("lspci -d 10de: | grep -i bridge   (the NVSwitches, if any)"),
                      machine("sudo systemctl disable nvidia-fabricmanager   (undo: enable)")},
         .rank = Rank::warned},
        {.name = "fabric manager does not start",
         .needles = {"Job for nvidia-fabricmanager.service failed", "nvidia-fabricmanager.service: Failed with",
                     "Failed to start NVIDIA fabric manager", "Failed to start nvidia-fabricmanager",
                     "Failed to start Nvidia fabric manager"},
         .meaning =
             "The service that sets up the NVSwitches did not start: most often it is of another version than the "
             "driver, or the machine has no NVSwitches. Its log says which.",
         .remedies =
             {look(log_of_fabric), look("cat /proc/driver/nvidia/version; dpkg -l | grep -i fabric   (equal?)"),
              machine("sudo apt install nvidia-fabricmanager-$(modinfo -F version nvidia | cut -d. -f1)   (undo: the "
                      "one that dpkg showed)")},
         .read = read_service,
         .rank = Rank::symptom},
        {.name = "MIG cannot be changed now",
         .needles = {"Unable to enable MIG Mode", "Unable to disable MIG Mode", "Unable to create a GPU instance",
                     "Failed to create GPU instances", "Unable to destroy", "Unable to create a compute instance",
                     "Failed to create compute instances", "Unable to set MIG mode", "MIG mode is in pending"},
         .meaning =
             "nvidia-smi may change MIG only as root, while no program uses that GPU, and within what the profiles "
             "leave: instances that are there take their part.",
         .remedies =
             {look("nvidia-smi mig -lgi; nvidia-smi mig -lgip; fuser -v /dev/nvidia*   (what is there, and who "
                   "uses it)"),
              others("sudo nvidia-smi mig -dci && sudo nvidia-smi mig -dgi   (removes all instances; first end what "
                     "runs on them; then -cgi PROFILE -C)"),
              others("sudo systemctl stop nvidia-dcgm nvidia-persistenced   (they hold the GPU; undo: start)")},
         .read = read_mig},
        {.name = "GPU in use cannot be reset",
         .needles = {"In use by another client", "are currently being used by one or more other processes",
                     "is currently being used by one or more other processes"},
         .meaning = "A GPU is reset, or its MIG mode changed, only while nothing holds it: not a program, a monitor "
                    "(DCGM), the persistence daemon or the driver's module for screens.",
         .remedies = {look("fuser -v /dev/nvidia*; lsmod | grep nvidia_drm   (who holds it?)"),
                      others("sudo systemctl stop nvidia-dcgm nvidia-persistenced   (undo: start)"),
                      others("sudo systemctl isolate multi-user.target && sudo modprobe -r nvidia_drm   (ends the "
                             "desktop; undo: sudo modprobe nvidia_drm && sudo systemctl isolate graphical.target)"),
                      others("sudo reboot   (A100 and A30: a MIG mode that was asked for is on after it)")}},
        {.name = "MIG without instances",
         .needles = {"No MIG-supported devices found", "No MIG-enabled devices found"},
         .meaning =
             "MIG is on, and no instance of the GPU is there or given to this process, so CUDA sees no GPU (code 100).",
         .claims = {"004-11"},
         .remedies = {look("nvidia-smi -L"), machine("sudo nvidia-smi mig -cgi 0 -C   (makes one instance of all)"),
                      others("sudo nvidia-smi -mig 0   (switches MIG off: only while no program uses the GPU)")}},
    };
    all.insert(all.end(), of_fabric.begin(), of_fabric.end());
    return all;
}

}  // namespace tocuda::doctor
