// tocuda, Apache-2.0.
// GPUs behind MPI, UCX, NVSHMEM and DeepEP.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto has_cuda =
    "ompi_info --parsable --all | grep mpi_built_with_cuda_support:value; ucx_info -d | grep cuda   (is CUDA in them?)";
constexpr auto by_ucx = "mpirun --mca pml ucx -x UCX_TLS=rc,sm,self,cuda_copy,cuda_ipc ...   (Open MPI with UCX)";

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

}  // namespace

std::vector<KnownError> mpi_errors() {
    return {
        {.name = "MPI without CUDA was given memory of a GPU",
         .needles = {"invalid permissions for mapped object",
                     "GPU_SUPPORT_ENABLED is requested, but GTL library is "
                     "not linked"},
         .meaning = "The program gave MPI a pointer to memory of the GPU, and this MPI read it as memory of the host: "
                    "MPI or UCX was built or started without CUDA.",
         .remedies = {look(has_cuda), by_ucx,
                      "UCX_MEMTYPE_CACHE=n mpirun ...   (if it fails only now and then: UCX's cache of types)",
                      "MPI_Send(host_copy, ...)   (copy to the host first: works with each MPI)"},
         .hints = {{"nixl", look("ucx_info -v; ldconfig -p | grep libuc   (NIXL's package brings a UCX of its own: is "
                                 "there another, without CUDA?)")},
                   {"nixl",
                    "UCX_TLS=rc,tcp,sm,self,cuda_copy,cuda_ipc python ...   (cuda_copy: UCX then knows the "
                    "GPU's memory)"},
                   {"nixl", "install NIXL against a UCX with CUDA   (configure --with-cuda; in a new environment)"},
                   {"gtl library",
                    "module load craype-accel-nvidia80 && build it again   (Cray: links the GTL library; nvidia90 for "
                    "Hopper)"},
                   {"gtl library", "MPICH_GPU_SUPPORT_ENABLED=0 srun ...   (if it gives MPI no memory of GPUs)"},
                   {"gtl library",
                    "LD_PRELOAD=$CRAY_MPICH_ROOTDIR/gtl/lib/libmpi_gtl_cuda.so srun python ...   (mpi4py that was not "
                    "linked with it)"}},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains_any(text_near(text, at, 1500, 1500), {"UCX  ERROR", "UCX ERROR"});
             },
         .certain = false},
        {.name = "UCX without a CUDA context",
         .needles = {"cuda_copy_md.c", "cuda_ipc_md.c", "cuda_copy_ep.c", "cuda_ipc_ep.c", "cuda_ipc_cache.c",
                     "cuda_copy_iface.c", "cuda_ipc_iface.c"},
         .meaning = "UCX called CUDA in a thread or process whose current GPU is not the one of the buffer, or none at "
                    "all: the program chose no GPU before MPI used it, or UCX is older than the driver.",
         .remedies = {"cudaSetDevice(local_rank)   (in each process, and in each thread that calls MPI, before "
                      "MPI_Init and before the first message; PyTorch: torch.cuda.set_device)",
                      look("ucx_info -v; nvidia-smi   (a newer UCX knows newer drivers and several GPUs in a process)"),
                      "UCX_TLS=^cuda_ipc mpirun ...   (without CUDA IPC: containers, MIG, GPUs that the ranks do not "
                      "both see)",
                      "UCX_MEMTYPE_CACHE=n mpirun ..."},
         .in_line = {"UCX"},
         .certain = false},
        {.name = "NVSHMEM cannot join its processes",
         .needles = {"nvshmem setup connections failed", "nvshmem initialization failed",
                     "aborting due to error in "
                     "nvshmem",
                     "transport create connect failed", "nvshmem detect topo failed", "nvshmem setup heap failed",
                     "nvshmem_src", "nvshmem/src/", "nvshmemi_init", "register EP failed", "ibgda_", "IBGDA",
                     "init failed for transport", "init failed for remote transport"},
         .meaning = "NVSHMEM could not reach the other processes by InfiniBand or RoCE: the wrong adapter or address "
                    "(GID), GPUDirect RDMA that is not set up, or a bootstrap over an interface that does not reach "
                    "them.",
         .remedies =
             {"NVSHMEM_DEBUG=INFO ...   (which adapter and transport it takes)",
              "NVSHMEM_HCA_LIST=mlx5_0:1,mlx5_1:1 NVSHMEM_IB_GID_INDEX=3 ...   (adapters that reach the others; "
              "3 is most often RoCE v2, show_gids tells)",
              "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=eth0 ...   (the interface between the nodes)",
              look("ibstat; show_gids; lsmod | grep -E 'peermem|peer_mem'; nvshmem-info -a")},
         .read = read_nvshmem,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(line_around(text, at), {"status", "rror", "fail", "abort"});
             },
         .near = {"nvshmem", "NVSHMEM"},
         .rank = Rank::symptom},
        {.name = "DeepEP timed out",
         .needles = {"DeepEP error: ", "DeepEP timeout", "DeepEP: timeout", "DeepEP dispatch ", "DeepEP combine "},
         .meaning = "A rank waited in DeepEP for tokens of others that did not come: one rank failed or ran another "
                    "number of steps, RDMA between the nodes does not work, or NVSHMEM is of another version than "
                    "DeepEP was built for.",
         .remedies =
             {"python tests/test_intranode.py; python tests/test_internode.py   (DeepEP's own: on one node, then "
              "between nodes, without the program)",
              "NVSHMEM_DEBUG=INFO NVSHMEM_HCA_LIST=mlx5_0:1,... ...   (RoCE: NVSHMEM_IB_GID_INDEX=3 too)",
              look("pip list | grep -iE 'nvshmem|deep_ep'; lsmod | grep -E 'peermem|gdrdrv'   (the NVSHMEM that "
                   "DeepEP's README names?)"),
              "look for the rank that failed first   (the others only wait for it)"},
         .read = read_deepep,
         .in_line = {"imeout", "timed out"},
         .rank = Rank::symptom,
         .certain = false},
    };
}

}  // namespace tocuda::doctor
