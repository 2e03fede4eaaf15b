// tocuda, Apache-2.0.
// GPUs behind MPI, UCX, NVSHMEM and DeepEP.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

// IBRC is the transport through the processor, IBGDA the one that the GPU itself drives.
void read_nvshmem(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 2000, 1500);
    if (contains_any(message, {"mem registration failed", "ibv_reg_mr", "nv_peer_mem", "cannot allocate buffer"})) {
        told.meaning =
            "NVSHMEM could not register the GPU's memory with the network adapter: GPUDirect RDMA is not there "
            "(nvidia_peermem is not loaded, or the driver has no dma-buf).";
        told.remedies = {{"lsmod | grep -E 'peermem|peer_mem'; sudo dmesg | grep -i peer", Scope::look},
                         {"sudo modprobe nvidia-peermem   (until the next boot)", Scope::machine},
                         "NVSHMEM_DEBUG=INFO ...   (which adapter, and why)"};
    } else if (contains_any(message, {"cudaHostRegister", "ibgda", "IBGDA"})) {
        told.arithmetic.emplace_back(
            "IBGDA needs two options of the driver: NVreg_EnableStreamMemOPs=1 and PeerMappingOverride=1");
        told.remedies = {
            {"grep -E 'StreamMemOPs|RegistryDwords' /proc/driver/nvidia/params   (set?)", Scope::look},
            {"options nvidia NVreg_EnableStreamMemOPs=1 NVreg_RegistryDwords=\"PeerMappingOverride=1;\"   (in "
             "/etc/modprobe.d/nvidia.conf, then update-initramfs -u and reboot; undo: remove that line)",
             Scope::machine},
            "NVSHMEM_IB_ENABLE_IBGDA=0 ...   (without it: by the processor)",
            "NVSHMEM_DEBUG=INFO ...   (which adapter, and why)"};
    }
}

void read_deepep(std::string_view text, std::size_t at, Explanation& told) {
    if (contains_any(text_near(text, at, 3000, 200), {"internode", "rdma", "RDMA", "low_latency"}))
        told.arithmetic.emplace_back("it was a call between nodes, so it is RDMA by NVSHMEM");
}

bool is_not_of_ucx(std::string_view text, std::size_t at) {
    return !contains_any(text_near(text, at, 1500, 1500), {"UCX  ERROR", "UCX ERROR"});
}

}  // namespace

Functions mpi_functions() {
    return {.readings = {{"read_nvshmem", read_nvshmem}, {"read_deepep", read_deepep}},
            .conditions = {{"is_not_of_ucx", is_not_of_ucx}}};
}

}  // namespace tocuda::doctor
