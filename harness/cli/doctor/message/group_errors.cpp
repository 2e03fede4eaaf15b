// tocuda, Apache-2.0.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto watchdog = "Watchdog caught collective operation timeout";

// Which ranks waited, for what, and whether all of them for the same.
void read_timeout(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text.substr(at, 500);
    const auto limit = number_after(message, "Timeout(ms)=");
    const auto operation = between(message, "OpType=", ",");
    if (limit && operation) {
        told.figures.push_back({"timeout", *limit, "milliseconds"});
        told.arithmetic.push_back(fmt::format("{} did not end within {} minutes", *operation, *limit / 60000));
    }
    std::set<std::int64_t> ranks, numbers;
    for (auto next = at; next != std::string_view::npos && ranks.size() < 64; next = text.find(watchdog, next + 1)) {
        const auto before = text_near(text, next, 40, 0);
        const auto rank = before.rfind("Rank ");
        if (rank != std::string_view::npos)
            if (const auto number = number_after(before.substr(rank), "Rank ")) ranks.insert(*number);
        if (const auto number = number_after(text.substr(next, 200), "SeqNum=")) numbers.insert(*number);
    }
    if (!ranks.empty())
        told.arithmetic.push_back(fmt::format("these ranks waited: {}; the ones that do not report it are the cause",
                                              fmt::join(ranks, ", ")));
    if (numbers.size() > 1)
        told.arithmetic.push_back(
            fmt::format("they waited in different collectives ({} to {}): the ranks are out of "
                        "step, one took another way through the program",
                        *numbers.begin(), *numbers.rbegin()));
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
        told.remedies = {{"nvidia-smi --query-compute-apps=pid,used_memory --format=csv", Scope::look},
                         "use a smaller batch   (NCCL's buffers lie beside what PyTorch reserves)"};
}

// "Last error:\nsocketProgressOpt: Call to recv from 172....<33759> failed : Connection reset by peer"
void read_last_error(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text.substr(at, 1500);
    const auto begin = message.find("Last error:");
    if (begin == std::string_view::npos) return;
    const auto words = flattened(message.substr(begin + 11), 200);
    told.arithmetic.push_back("NCCL's own last error:" + words);
    if (contains(words, "peer") || contains(words, "remote"))
        told.arithmetic.emplace_back(
            "the process or node at the other end went away first, or the network between them "
            "failed");
}

bool is_of_torch(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 3000, 3000);
    return contains(around, "torch") || contains(around, "c10d") || contains(around, "NCCL") ||
           contains(around, "socket.cpp");
}

}  // namespace

std::vector<KnownError> group_errors() {
    constexpr auto warnings = "NCCL_DEBUG=INFO python ... 2>&1 | grep 'NCCL WARN'";
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
         .meaning =
             "These two GPUs cannot address each other's memory: another PCIe root, a virtual machine, a limit of "
             "8, or each process sees only its own GPU (CUDA_VISIBLE_DEVICES), which older NCCL cannot join.",
         .remedies = {"NCCL_P2P_DISABLE=1 python ...", look("nvidia-smi topo -p2p r"),
                      "leave all GPUs visible to each process, and choose with torch.cuda.set_device"},
         .certain = false},
        {.name = "MPS not available",
         .needles = {"MPS client failed to connect", "cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED",
                     "the remote procedural call between the MPS server and the MPS client failed",
                     "MPS server is not ready", "cudaErrorMpsRpcFailure"},
         .meaning =
             "The process should share the GPU through MPS, and the MPS daemon does not answer (code 805 to 807).",
         .claims = {"001-08"},
         .remedies = {look("echo get_server_list | nvidia-cuda-mps-control"),
                      "unset CUDA_MPS_PIPE_DIRECTORY   (without MPS)",
                      machine("sudo nvidia-smi -c 0   (if no MPS is wanted: lets several processes share each GPU)")}},
        {.name = "NCCL cannot use shared memory",
         .needles = {"Error while creating shared memory segment /dev/shm/nccl", "failed to extend /dev/shm/nccl",
                     "Call to posix_fallocate failed : No space", "unable to open shared memory object </torch_",
                     "unable to mmap", "unable to allocate shared memory(shm)"},
         .meaning = "/dev/shm is too small for what is shared between processes: 64 MiB in a container by default.",
         .remedies = {look("df -h /dev/shm"),
                      "docker run --shm-size=8g --ulimit memlock=-1 ...   (in Kubernetes: an "
                      "emptyDir of medium Memory at /dev/shm)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !text.substr(at).starts_with("unable to mmap") ||
                        contains(text_near(text, at, 200, 200), "torch");
             }},
        {.name = "ranks without a common /dev/shm",
         .needles = {"Error while attaching to shared memory segment /dev/shm/nccl"},
         .meaning = "One rank made a segment in /dev/shm that another does not see: they run in containers with a "
                    "/dev/shm each, or something removed it (systemd does when the user logs out).",
         .remedies = {"docker run --ipc=host ...   (both; or one container for all ranks of a node)",
                      "NCCL_SHM_DISABLE=1 python ...   (slower)",
                      machine("loginctl enable-linger $USER   (where the processes outlive the login)")}},
        {.name = "NCCL over InfiniBand fails",
         .needles = {"NCCL WARN Call to ibv_", "NET/IB : Got completion from peer", "NET/IB: Got completion from peer"},
         .meaning = "A call to the InfiniBand or RoCE adapter failed: link, memory limit, or wrong adapter.",
         .remedies = {look("ibstat; ulimit -l"), "NCCL_IB_DISABLE=1 python ...   (tells whether it is InfiniBand)",
                      "NCCL_IB_HCA=mlx5_0 python ...   (the right adapters)"}},
        {.name = "NCCL timeout",
         .needles = {"Watchdog caught collective operation timeout"},
         .meaning =
             "One rank did not take part in a collective: it failed earlier, hangs, or took another way through the "
             "program. The first error of that rank is the cause.",
         .remedies = {"read the log of the rank that does not report a timeout",
                      "TORCH_NCCL_DUMP_ON_TIMEOUT=1 NCCL_DEBUG=INFO torchrun ...",
                      "NCCL_P2P_DISABLE=1 torchrun ...   (tells whether peer access is broken)"},
         .read = read_timeout,
         .rank = Rank::echo},
        {.name = "NCCL: CUDA failed",
         .needles = {"ncclUnhandledCudaError", "unhandled cuda error"},
         .meaning = "A CUDA call within NCCL failed; NCCL's own log names it.",
         .remedies = {warnings},
         .read = read_cuda_failure,
         .rank = Rank::symptom},
        {.name = "NCCL: another process is gone",
         .needles = {"ncclRemoteError", "remote process exited or there was a network error"},
         .meaning =
             "NCCL lost the connection to another rank: that rank failed first, or the network or InfiniBand of a "
             "node has a fault.",
         .remedies = {"read the log of the rank that ended first", warnings, look("ibstat; ip -s link")},
         .read = read_last_error,
         .rank = Rank::echo,
         .certain = false},
        {.name = "NCCL: system error",
         .needles = {"ncclSystemError", "unhandled system error, NCCL version",
                     "unhandled system error (run with NCCL_DEBUG", "NCCL Error 2:", "unhandled system error"},
         .meaning =
             "NCCL could not open a socket, a device or memory. In a container most often /dev/shm is too small; "
             "else the network interface is the wrong one.",
         .remedies = {look("df -h /dev/shm   (64M in a container: docker run --shm-size=8g ...)"), warnings,
                      "NCCL_SOCKET_IFNAME=eth0 python ...   (the right interface)"},
         .read = read_last_error,
         .rank = Rank::symptom,
         .certain = false},
        {.name = "NCCL: invalid usage",
         .needles = {"ncclInvalidUsage", "ncclInvalidArgument", "ncclInternalError"},
         .meaning = "NCCL was called in a way that it does not allow, or its libraries are of several versions.",
         .remedies = {"NCCL_DEBUG=WARN python ...", look("pip list | grep nccl")},
         .read = read_last_error,
         .rank = Rank::symptom,
         .certain = false},
        {.name = "no backend for this device",
         .needles = {"No backend type associated with device type", "ProcessGroupNCCL is only supported with GPUs",
                     "Tensors must be CUDA and dense"},
         .meaning = "A collective of NCCL was given a tensor of the CPU, or the process sees no GPU.",
         .remedies = {"move the tensor or model to 'cuda' before it, or init_process_group('cpu:gloo,cuda:nccl')",
                      look("python -c 'import torch; print(torch.cuda.device_count())'")}},
        {.name = "port of the rendezvous in use",
         .needles = {"EADDRINUSE", "The server socket has failed to listen on any local network address"},
         .meaning = "Another job, or what is left of the last one, uses the port at which the ranks meet.",
         .remedies = {"torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0 ...   (takes a free port)",
                      "MASTER_PORT=29501 python ...", look("ss -ltnp | grep 29500   (who has it)")},
         .applies = is_of_torch},
        {.name = "ranks do not reach each other",
         .needles = {"The client socket has failed to connect", "DistNetworkError", "DistStoreError: Timed out",
                     "The client socket has timed out", "connectFullMesh failed",
                     "NCCL WARN socketStartConnect: Connect to",
                     "NCCL WARN Call to connect returned Connection refused",
                     "NCCL WARN socketPollConnect: Connect to"},
         .meaning = "A rank could not connect to another: rank 0 never started or has ended, the address or port is "
                    "wrong, a firewall is between, or NCCL chose a wrong interface (docker0, lo).",
         .remedies = {look("ip -br addr; echo $MASTER_ADDR $MASTER_PORT"),
                      "NCCL_SOCKET_IFNAME=eth0 GLOO_SOCKET_IFNAME=eth0 torchrun ...   (the right interface)",
                      "read the log of rank 0"},
         .rank = Rank::symptom,
         .certain = false},
        {.name = "process killed",
         .needles = {"exitcode: -9", "exitcode  : -9", "Signal 9 (SIGKILL) received", "died with <Signals.SIGKILL: 9>"},
         .meaning =
             "The system killed a process, most often because the host's memory was full (weights are loaded there "
             "by each rank); else someone or the job's limits did.",
         .remedies = {look("sudo dmesg | grep -i -E 'oom|killed process'; free -h"),
                      "load the weights once, or with low_cpu_mem_usage=True; use fewer workers of the DataLoader"},
         .rank = Rank::symptom,
         .certain = false},
        {.name = "torchrun: a rank failed",
         .needles = {"torch.distributed.elastic.multiprocessing.errors.ChildFailedError"},
         .meaning = "torchrun says only that a rank failed; the rank's own error stands further up, or in its log.",
         .remedies =
             {"torchrun --tee 3 --log-dir logs ...   (keeps each rank's output; read the one that failed first)"},
         .rank = Rank::echo},
    };
}

}  // namespace tocuda::doctor
