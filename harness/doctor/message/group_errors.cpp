// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

void read_timeout(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text.substr(at, 500);
    const auto limit = number_after(message, "Timeout(ms)=");
    const auto operation = between(message, "OpType=", ",");
    if (!limit || !operation) return;
    told.figures.push_back({"timeout", *limit, "milliseconds"});
    told.arithmetic.push_back(fmt::format("{} did not end within {} minutes", *operation, *limit / 60000));
}

void read_duplicate(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text.substr(at, 200);
    const auto one = number_after(message, "rank ");
    const auto other = number_after(message, "and rank ");
    if (one && other) told.arithmetic.push_back(fmt::format("ranks {} and {} use the same GPU", *one, *other));
}

// "Last error:\nCuda failure 2 'out of memory'"
void read_cuda_failure(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view label = "Cuda failure";
    const auto message = text.substr(at, 1000);
    const auto why = between(message.substr(std::min(message.find(label), message.size())), "'", "'");
    if (!why) return;
    told.meaning = fmt::format("A CUDA call within NCCL failed: {}.", *why);
    if (*why == "out of memory")
        told.remedies = {"use a smaller batch   (NCCL's buffers lie beside what PyTorch reserves)",
                         "nvidia-smi --query-compute-apps=pid,used_memory --format=csv"};
}

}  // namespace

std::vector<KnownError> group_errors() {
    return {
        {.name = "two ranks on one GPU",
         .needles = {"Duplicate GPU detected"},
         .meaning = "Each rank of NCCL needs a GPU of its own, and several chose the same.",
         .claims = {"001-06"},
         .remedies = {"torch.cuda.set_device(int(os.environ['LOCAL_RANK']))   (before the first collective)",
                      "torchrun --nproc-per-node=$(nvidia-smi -L | wc -l) ..."},
         .read = read_duplicate},
        {.name = "peer access impossible",
         .needles = {"peer access is not supported between these two devices", "cudaErrorPeerAccessUnsupported",
                     "peer mapping resources exhausted"},
         .meaning = "These two GPUs cannot address each other's memory: another PCIe root, a virtual machine, or a "
                    "limit of 8.",
         .remedies = {"nvidia-smi topo -p2p r", "export NCCL_P2P_DISABLE=1"}},
        {.name = "MPS not available",
         .needles = {"MPS client failed to connect", "cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED",
                     "the remote procedural call between the MPS server and the MPS client failed",
                     "MPS server is not ready", "cudaErrorMpsRpcFailure"},
         .meaning =
             "The process should share the GPU through MPS, and the MPS daemon does not answer (code 805 to 807).",
         .claims = {"001-08"},
         .remedies = {"echo get_server_list | nvidia-cuda-mps-control", "unset CUDA_MPS_PIPE_DIRECTORY",
                      "sudo nvidia-smi -c 0   (if no MPS is wanted)"}},
        {.name = "NCCL cannot use shared memory",
         .needles = {"Error while creating shared memory segment /dev/shm/nccl",
                     "Call to posix_fallocate failed : No space", "unable to open shared memory object </torch_"},
         .meaning = "/dev/shm is too small for NCCL: 64 MiB in a container by default.",
         .remedies = {"docker run --shm-size=8g --ulimit memlock=-1 ...", "df -h /dev/shm"}},
        {.name = "NCCL timeout",
         .needles = {"Watchdog caught collective operation timeout"},
         .meaning =
             "One rank did not take part in a collective: it failed earlier, hangs, or took another way through the "
             "program. The first error of that rank is the cause.",
         .remedies = {"read the log of the rank that does not report a timeout",
                      "TORCH_NCCL_DUMP_ON_TIMEOUT=1 NCCL_DEBUG=INFO torchrun ...",
                      "NCCL_P2P_DISABLE=1 torchrun ...   (tells whether peer access is broken)"},
         .read = read_timeout,
         .consequence = true},
        {.name = "NCCL: CUDA failed",
         .needles = {"ncclUnhandledCudaError", "unhandled cuda error"},
         .meaning = "A CUDA call within NCCL failed; NCCL's own log names it.",
         .remedies = {"NCCL_DEBUG=INFO python ... 2>&1 | grep 'NCCL WARN'"},
         .read = read_cuda_failure,
         .consequence = true},
        {.name = "NCCL: system error",
         .needles = {"ncclSystemError", "unhandled system error, NCCL version",
                     "unhandled system error (run with NCCL_DEBUG", "ncclRemoteError"},
         .meaning = "NCCL could not open a socket, a device or memory, or the process at the other end has gone.",
         .remedies = {"NCCL_DEBUG=INFO python ... 2>&1 | grep 'NCCL WARN'",
                      "NCCL_SOCKET_IFNAME=eth0 python ...   (the right interface)"},
         .consequence = true},
        {.name = "NCCL: invalid usage",
         .needles = {"ncclInvalidUsage", "ncclInvalidArgument", "ncclInternalError"},
         .meaning = "NCCL was called in a way that it does not allow, or its libraries are of several versions.",
         .remedies = {"NCCL_DEBUG=WARN python ...", "pip list | grep nccl"},
         .consequence = true},
    };
}

}  // namespace tocuda::doctor
