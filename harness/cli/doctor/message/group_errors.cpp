// tocuda, Apache-2.0.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto watchdog = "aught collective operation timeout";  // older: "Caught", newer: "Watchdog caught"

void tell_of_first_collective(std::string_view text, Explanation& told) {
    told.arithmetic.emplace_back(
        "it is the first collective: the ranks never reached each other, so it is the network or peer access, not the "
        "program");
    if (origin_of(text).runs("text-generation-inference")) {
        told.remedies = {
            "docker run --gpus all --shm-size 1g -e NCCL_P2P_DISABLE=1 ...   (shared memory for NCCL, and tells "
            "whether peer access is broken, as by an IOMMU)",
            "docker run --gpus all --shm-size 1g -e NCCL_DEBUG=INFO ...   (what NCCL waits for)",
            {"nvidia-smi topo -m; nvidia-smi topo -p2p r   (on the host)", Scope::look}};
        return;
    }
    told.remedies = {
        "NCCL_DEBUG=INFO torchrun ... 2>&1 | grep -E 'NCCL WARN|NET/'   (which interface and adapter)",
        "NCCL_P2P_DISABLE=1 torchrun ...   (one node: tells whether peer access is broken, as by an IOMMU)",
        "NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=NAME torchrun ...   (several: tells whether it is InfiniBand)"};
}

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
        told.arithmetic.push_back(
            fmt::format("these ranks waited: {}; of the others, the one that reports nothing is most often the cause",
                        fmt::join(ranks, ", ")));
    if (numbers.size() > 1)
        told.arithmetic.push_back(
            fmt::format("they waited in different collectives ({} to {}): the ranks are out of step, one took a "
                        "different code path",
                        *numbers.begin(), *numbers.rbegin()));
    if (numbers.size() == 1 && *numbers.begin() == 1) tell_of_first_collective(text, told);
}

void read_duplicate(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text.substr(at, 200);
    const auto one = number_after(message, "rank ");
    const auto other = number_after(message, "and rank ");
    if (one && other) told.arithmetic.push_back(fmt::format("ranks {} and {} use the same GPU", *one, *other));
}

// "Last error:\nCuda failure 2 'out of memory'"
// "subprocess.CalledProcessError: Command '['python', '-u', 'train.py', '--local_rank=0']' returned non-zero exit
// status 1."
bool is_of_launcher(std::string_view text, std::size_t at) {
    return contains_any(line_around(text, at), {"--local_rank=", "--local-rank=", "'--launcher', 'pytorch'"}) ||
           contains_any(text_near(text, at, 1500, 0),
                        {"torch/distributed/launch.py", "accelerate/commands/launch.py",
                         "accelerate\\commands\\launch.py", "deepspeed/launcher/launch.py"});
}

void read_exit_of_launcher(std::string_view text, std::size_t at, Explanation& told) {
    if (number_after(text.substr(at), "exit status ") != 2) return;
    told.arithmetic.emplace_back("exit status 2: the script refused its arguments, or Python did not find it");
    told.remedies = {"python SCRIPT --help   (takes it every argument of that command?)",
                     "parser.add_argument('--local-rank', '--local_rank', type=int, default=0)   (in the script: newer "
                     "launchers write it with a hyphen)",
                     "torchrun SCRIPT ...   (gives no such argument: the script reads LOCAL_RANK)"};
}

void read_cuda_failure(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view label = "Cuda failure";
    const auto message = text.substr(at, 1000);
    const auto why = between(message.substr(std::min(message.find(label), message.size())), "'", "'");
    if (!why) return;
    told.certain = true;
    told.meaning = fmt::format("A CUDA call within NCCL failed: {}.", *why);
    if (*why == "out of memory")
        told.remedies = {{"nvidia-smi --query-compute-apps=pid,used_memory --format=csv", Scope::look},
                         "use a smaller batch   (NCCL's buffers lie beside what PyTorch reserves)"};
    else if (contains_any(*why, {"address", "memory access", "launch failure", "assert"}))
        told.remedies = {
            "CUDA_LAUNCH_BLOCKING=1 python ...   (a kernel before it failed, and NCCL only meets that first)",
            "run it on one GPU   (without NCCL the failing kernel shows itself)"};
    else if ((*why == "operation not supported" || contains(*why, "invalid")) && origin_of(text).wsl) {
        told.arithmetic.emplace_back("it is in WSL, where GPUs share no memory between processes (CUDA IPC)");
        told.remedies = {"NCCL_P2P_DISABLE=1 NCCL_CUMEM_ENABLE=0 python ...   (without it)",
                         "CUDA_VISIBLE_DEVICES=0 python ...   (one GPU: needs no NCCL)",
                         "{torch}   (a newer one brings a newer NCCL; in a new environment)"};
    } else if (*why == "operation not supported" || contains(*why, "invalid"))
        told.remedies = {
            "NCCL_P2P_DISABLE=1 python ...   (tells whether it is peer access within the node)",
            "NCCL_CUMEM_ENABLE=0 NCCL_NVLS_ENABLE=0 python ...   (virtual GPUs lack these functions)",
            "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))   (before the first collective)",
            {"python -c 'import torch; print(torch.cuda.nccl.version())'   (a newer PyTorch has a newer one)",
             Scope::look}};
}

// "node:3063028:3066152 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'"
void read_gpu_of_nccl(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const auto gpu = number_after(line, " [");
    if (gpu && contains(line, " NCCL WARN"))
        told.arithmetic.push_back(fmt::format("it is GPU {} of {}", *gpu, line.substr(0, line.find(':'))));
}

// "NCCL WARN Could not find NET with id 0": the adapters of one rank are not those of another.
void read_topology(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "NET with id")) return;
    told.meaning =
        "The ranks of NCCL see different network adapters: containers that were given other devices, a plugin or a "
        "file of "
        "the topology that only some nodes have, or other settings on a node.";
    told.remedies = {
        {"env | grep NCCL; ibv_devices; ls /dev/infiniband   (on each node: the same?)", Scope::look},
        "NCCL_NET_PLUGIN=none python ...   (without a plugin, on each node)",
        "NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=NAME python ...   (by sockets: tells whether it is the adapters)",
        "unset NCCL_TOPO_FILE NCCL_IB_HCA   (or the same on each node)"};
}

// A process shares a tensor of the GPU with another through a handle that the driver makes.
bool is_refused(std::string_view text, std::size_t at) {
    return text.substr(at).starts_with("mapping") ||
           contains_any(text_near(text, at, 300, 2500),
                        {"invalid argument", "invalid resource handle", "not supported", "invalid device context"});
}

// "unable to open shared memory object </torch_1_2> in read-write mode: Too many open files (24)"
void read_shared_segment(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (contains(line, "torch_")) told.error = "tensors shared between processes: no room";
    if (!contains(line, "Too many open files")) return;
    told.error = "too many open files";
    told.meaning =
        "Each tensor that PyTorch passes between processes, as from the DataLoader's workers, keeps a file open, and "
        "the limit of this process is reached.";
    told.remedies = {{"ulimit -n", Scope::look},
                     "ulimit -n 65535   (in the shell that starts the program)",
                     "torch.multiprocessing.set_sharing_strategy('file_system')   (before workers start: files of "
                     "/dev/shm, none kept open)",
                     "pass batches on as copies   (batch.clone()), and keep no list of them"};
}

bool is_killed(std::string_view text, std::size_t at) {
    return text[at] != '\n' || (contains_any(text_near(text, at, 1500, 0), {"Loading ", "torch", "cuda"}) &&
                                line_around(text, at + 1).size() < 8);
}

}  // namespace

Functions group_functions() {
    return {.readings = {{"read_duplicate", read_duplicate},
                         {"read_shared_segment", read_shared_segment},
                         {"read_timeout", read_timeout},
                         {"read_topology", read_topology},
                         {"read_gpu_of_nccl", read_gpu_of_nccl},
                         {"read_cuda_failure", read_cuda_failure},
                         {"read_last_error", read_last_error},
                         {"read_exit_of_launcher", read_exit_of_launcher}},
            .conditions = {{"is_refused", is_refused}, {"is_killed", is_killed}, {"is_of_launcher", is_of_launcher}}};
}

}  // namespace tocuda::doctor
