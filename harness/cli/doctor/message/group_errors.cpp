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

}  // namespace

std::vector<KnownError> group_errors() {
    constexpr auto warnings = "NCCL_DEBUG=INFO python ... 2>&1 | grep 'NCCL WARN'";
    return {
        {.name = "two ranks on one GPU",
         .needles = {"Duplicate GPU detected"},
         .meaning = "Each rank of NCCL needs a GPU of its own, and several chose the same.",
         .claims = {"001-06"},
         .remedies = {"torch.cuda.set_device(int(os.environ['LOCAL_RANK']))   (before the first collective)",
                      "torchrun --nproc-per-node=$(nvidia-smi -L | grep -c ^GPU) ..."},
         .read = read_duplicate},
        {.name = "too many peers of a GPU",
         .needles = {"peer mapping resources exhausted", "cudaErrorTooManyPeers", "CUDA_ERROR_TOO_MANY_PEERS"},
         .meaning = "A GPU can address the memory of at most 8 others at a time, unless NVSwitches join them, and this "
                    "program asked for more (code 711).",
         .remedies = {"CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 PROGRAM ...   (at most 8 or 9 GPUs for each process)",
                      look("nvidia-smi -L | grep -c ^GPU; nvidia-smi topo -m"),
                      "NCCL_P2P_DISABLE=1 python ...   (without peer access; llama.cpp: built with "
                      "-DGGML_CUDA_NO_PEER_COPY=ON)"}},
        {.name = "NCCL: NVLink SHARP fails",
         .needles = {"nvls.cc", "Failed to bind NVLink SHARP"},
         .meaning =
             "NCCL could not set up NVLink SHARP (NVLS), by which NVSwitches add up data: the fabric manager does not "
             "run, is of another version, or was started again without a reset of the GPUs; the virtual machine or "
             "container has only a part of the GPUs; or NCCL is newer than the driver serves.",
         .remedies = {"NCCL_NVLS_ENABLE=0 python ...   (without it)",
                      look("systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A3 Fabric   (on the host)"),
                      others("sudo nvidia-smi --gpu-reset   (all GPUs, after the fabric manager was started again; "
                             "only while no program uses them)")},
         .in_line = {" NCCL WARN", "Failed to bind"}},
        {.name = "GeForce without peer access",
         .needles = {"doesn't support faster communication broadband via P2P or IB"},
         .meaning = "GPUs of the RTX 4000 series have no peer access, and accelerate stops where NCCL would try it.",
         .remedies = {"NCCL_P2P_DISABLE=1 NCCL_IB_DISABLE=1 python ...",
                      "accelerate launch ...   (sets both by itself)"}},
        {.name = "peer access impossible",
         .needles = {"peer access is not supported between these two devices", "cudaErrorPeerAccessUnsupported",
                     "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
         .meaning = "These two GPUs cannot address each other's memory: another PCIe root, boards without it "
                    "(GeForce), a virtual machine, or each process sees only its own GPU (CUDA_VISIBLE_DEVICES), which "
                    "older NCCL cannot join.",
         .remedies = {"NCCL_P2P_DISABLE=1 python ...", look("nvidia-smi topo -p2p r"),
                      "leave all GPUs visible to each process, and choose with torch.cuda.set_device"},
         .certain = false},
        {.name = "CUDA memory cannot be shared between processes",
         .needles = {"_share_cuda_()", "rebuild_cuda_tensor", "_new_shared_cuda", "StorageSharing.cpp",
                     "cudaIpcOpenMemHandle", "cudaIpcGetMemHandle", "custom_all_reduce.cuh", "open_mem_handle",
                     "register_graph_buffers", "get_graph_buffer_ipc_meta", "cudaIpcHandle",
                     "mapping of buffer object failed", "cudaErrorMapBufferObjectFailed"},
         .meaning =
             "A tensor of the GPU is shared with another process (CUDA IPC), and CUDA refused: the tensor came from "
             "another process, lies in expandable segments, its maker has ended, the processes see different GPUs or "
             "run in different containers, or the system has no CUDA IPC (WSL, MIG, some virtual GPUs).",
         .remedies = {"unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF   (expandable_segments:False)",
                      "send x.cpu() through the queue, and move it to the GPU in the other process",
                      "torch.cuda.set_device(x.device)   (in both, before it is sent or received)",
                      "docker run --ipc=host --pid=host ...   (processes in several containers)"},
         .hints = {{"custom_all_reduce",
                    "vllm serve ... --disable-custom-all-reduce   (NCCL instead; SGLang: the same option)"},
                   {"custom_all_reduce",
                    "unset PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF   (expandable_segments:False)"},
                   {"custom_all_reduce",
                    "docker run --gpus all --ipc=host ...   (in a container: each rank must see the others' memory)"},
                   {"custom_all_reduce", look("nvidia-smi topo -p2p r; nvidia-smi -L   (peer access? MIG, a virtual "
                                              "GPU?)")}},
         .applies = is_refused,
         .certain = false},
        {.name = "maker of a shared tensor ended",
         .needles = {"Producer process has been terminated before all shared CUDA tensors released"},
         .meaning = "A process that had shared tensors of the GPU ended while others still used them. It must live "
                    "until they are done; by itself this is a warning.",
         .remedies = {"process.join()   (in the maker, for those that use its tensors: it ends last)"},
         .rank = Rank::notice},
        {.name = "MPS not available",
         .needles = {"MPS client failed to connect", "cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED",
                     "the remote procedural call between the MPS server and the MPS client failed",
                     "MPS server is not ready", "cudaErrorMpsRpcFailure", "Cannot find MPS control daemon process"},
         .meaning =
             "The process should share the GPU through MPS, and the MPS daemon does not answer (code 805 to 807).",
         .claims = {"001-08"},
         .remedies = {look("echo get_server_list | nvidia-cuda-mps-control"),
                      "unset CUDA_MPS_PIPE_DIRECTORY   (without MPS)",
                      look("nvidia-smi -q -d COMPUTE   (exclusive mode, which MPS is used with?)")},
         .hints = {{"docker",
                    look("echo get_server_list | nvidia-cuda-mps-control; ls -ld /tmp/nvidia-mps   (on the host: "
                         "does it run, and for which user?)")},
                   {"docker",
                    "docker run --gpus all --ipc=host -v /tmp/nvidia-mps:/tmp/nvidia-mps -e "
                    "CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps ...   (the daemon's pipes, and its IPC; the same user "
                    "as the daemon's)"},
                   {"docker", "docker run --gpus all -e CUDA_MPS_PIPE_DIRECTORY= ...   (without MPS)"}}},
        {.name = "MPS server does not start",
         .needles = {"Server encountered a fatal exception. Shutting down",
                     "Failed to start : ", "error checking MPS daemon health", "Failed to start MPS",
                     "nvidia-cuda-mps-control: command not found"},
         .meaning =
             "The daemon of MPS runs and its server ends at once: CUDA fails in it, the GPU is older than Volta (whose "
             "MPS is a limited one, not for containers), MIG or another compute mode is on, or another daemon runs.",
         .remedies =
             {look("tail -20 /var/log/nvidia-mps/server.log /var/log/nvidia-mps/control.log; sudo dmesg | tail"),
              look("nvidia-smi --query-gpu=name,compute_cap,compute_mode,mig.mode.current --format=csv; pgrep -a mps"),
              "use time slicing   (Kubernetes: sharing.timeSlicing in the device plugin's configuration)"},
         .near = {"MPS", "mps", "Starting new server", "Legacy Server"},
         .certain = false},
        {.name = "NCCL cannot use shared memory",
         .needles = {"Error while creating shared memory segment /dev/shm/nccl", "failed to extend /dev/shm/nccl",
                     "Call to posix_fallocate failed : No space", "Call to posix_fallocate failed: No space",
                     "Error while creating shared memory segment nccl", "unable to open shared memory object </torch_",
                     "unable to mmap", "unable to allocate shared memory(shm)"},
         .meaning = "/dev/shm is too small for what is shared between processes: 64 MiB in a container by default.",
         .remedies = {look("df -h /dev/shm"),
                      "docker run --shm-size=8g --ulimit memlock=-1 ...   (in Kubernetes: an emptyDir of medium Memory "
                      "at /dev/shm)"},
         .read = read_shared_segment,
         .near = {"torch", "nccl", "NCCL"}},
        {.name = "no permission for /dev/shm",
         .needles = {"Call to shm_open failed : Permission denied", "Call to shm_open failed: Permission denied"},
         .meaning = "NCCL may not create files in /dev/shm, through which the processes of a node exchange data.",
         .remedies = {look("ls -ld /dev/shm   (drwxrwxrwt is right)"), machine("sudo chmod 1777 /dev/shm"),
                      "NCCL_SHM_DISABLE=1 python ...   (slower)"}},
        {.name = "ranks without a common /dev/shm",
         .needles = {"Error while attaching to shared memory segment /dev/shm/nccl"},
         .meaning = "One rank made a segment in /dev/shm that another does not see: they run in containers with a "
                    "/dev/shm each, or something removed it (systemd does when the user logs out).",
         .remedies = {"docker run --ipc=host ...   (both; or one container for all ranks of a node)",
                      "NCCL_SHM_DISABLE=1 python ...   (slower)",
                      machine("loginctl enable-linger $USER   (where the processes outlive the login)")}},
        {.name = "NCCL timeout",
         .needles = {watchdog, "Timeout at NCCL work: ", "Some NCCL operations have failed or timed out",
                     "WorkNCCL::checkTimeout", "timed out in blocking wait", "detected by watchdog at work"},
         .meaning =
             "One rank did not take part in a collective in time: it failed earlier (its first error is then the "
             "cause), hangs, took a different code path, or is busy with something long (data, a checkpoint).",
         .remedies = {"read the log of the rank that does not report a timeout",
                      "TORCH_NCCL_DUMP_ON_TIMEOUT=1 NCCL_DEBUG=INFO torchrun ...",
                      "init_process_group(..., timeout=timedelta(hours=2))   (if that rank only takes so long; better: "
                      "prepare data before the group starts)",
                      "NCCL_P2P_DISABLE=1 torchrun ...   (tells whether peer access is broken)"},
         .read = read_timeout,
         .rank = Rank::echo},
        {.name = "NCCL: a call hangs",
         .needles = {"Heartbeat monitor timed out", "watchdog got stuck for", "Received a dump signal",
                     "collective timeout from this local rank", "collective timeout from rank"},
         .meaning =
             "A call of NCCL or CUDA did not return for minutes, so the thread that watches the collectives stood "
             "still too: a rank waits for one that failed, has not started or does something else; peer access "
             "or the network hangs; or a GPU does.",
         .remedies = {look("py-spy dump --pid PID   (of each rank while it hangs: where does each stand?)"),
                      "NCCL_P2P_DISABLE=1 torchrun ...   (one node: tells whether peer access hangs; then: IOMMU, ACS)",
                      look("nvidia-smi; sudo dmesg | grep -i xid   (a GPU at 100 % for minutes, or at fault?)"),
                      "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=3600 torchrun ...   (only if a rank takes so long; with "
                      "timeout=timedelta(hours=2) in init_process_group)"},
         .rank = Rank::echo,
         .certain = false},
        {.name = "ranks out of step",
         .needles = {"may be caused by a collective mismatch", "Detected mismatch between collectives on ranks",
                     "mismatch in rank count from procs", "NCCL WARN Message truncated"},
         .meaning = "The ranks called different collectives, or with different sizes: one took a different code path, "
                    "as where only rank 0 saves or evaluates.",
         .remedies = {"TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...   (names the collective that differs)",
                      "look for collectives within `if rank == 0`, and for data of unequal lengths"}},
        {.name = "NCCL cannot read the machine",
         .needles = {"NCCL WARN Could not find real path of", "NCCL WARN nvmlDeviceGetHandleByPciBusId",
                     "NCCL WARN Could not find NET with id", "NCCL WARN Failed to open libnvidia-ml.so",
                     "NCCL WARN XML Import Channel", "NCCL WARN No NVML device handle", "NCCL WARN Could not find GPU"},
         .meaning = "NCCL did not find a GPU in /sys or by NVML as CUDA shows it: MIG (which NCCL does not join), a "
                    "container without /sys or libnvidia-ml, or a virtual machine.",
         .remedies =
             {look("nvidia-smi -L; ls /sys/class/pci_bus | head; ldconfig -p | grep nvidia-ml   (where it runs)"),
              "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...   (with NVML)",
              "CUDA_VISIBLE_DEVICES=0 python ...   (MIG: one instance, one process, without NCCL)",
              "unset NCCL_TOPO_FILE   (if it names a file of another machine)"},
         .read = read_topology},
        {.name = "NCCL without InfiniBand",
         .needles = {"NCCL WARN Failed to open libibverbs"},
         .meaning =
             "NCCL found no library of InfiniBand and goes on with plain sockets. On one node, or without such an "
             "adapter, nothing is lost; between nodes with one it is slow.",
         .remedies =
             {look("lspci | grep -iE 'mellanox|infiniband'   (is there an adapter?)"),
              machine("sudo apt install libibverbs1 ibverbs-providers   (with an adapter: in the container, too; "
                      "undo: sudo apt remove them)"),
              "docker run --device=/dev/infiniband --cap-add IPC_LOCK --ulimit memlock=-1 ...   (in a container)"},
         .rank = Rank::notice},
        {.name = "NCCL: no memory left on a GPU",
         .needles = {"NCCL WARN Cuda failure 'out of memory'", "NCCL WARN Cuda failure 2 'out of memory'",
                     "NCCL WARN Failed to CUDA calloc", "NCCL WARN Failed to CUDA malloc"},
         .meaning = "NCCL could not get memory of a GPU for its buffers, because PyTorch or others hold nearly all of "
                    "it. The other ranks only lose their connection to that one.",
         .claims = {"001-11"},
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (on that node)"),
                      "use a smaller batch   (NCCL's buffers lie beside what PyTorch reserves)",
                      "NCCL_BUFFSIZE=1048576 NCCL_MAX_NCHANNELS=4 python ...   (smaller buffers; slower)"},
         .read = read_gpu_of_nccl},
        {.name = "PyTorch without NCCL",
         .needles = {"Distributed package doesn't have NCCL"},
         .meaning = "This PyTorch has no NCCL: there is none for Windows, nor in builds for the CPU, macOS and Jetson.",
         .remedies = {look("python -c 'import torch; print(torch.__version__, torch.distributed.is_nccl_available())'"),
                      "torch.distributed.init_process_group('gloo')   (Windows and CPUs; slower with GPUs)",
                      "{torch}   (Linux with a GPU: a build with CUDA, in a new environment; on Windows in WSL 2)"}},
        {.name = "NCCL: CUDA failed",
         .needles = {"ncclUnhandledCudaError", "unhandled cuda error", "NCCL WARN Cuda failure",
                     "unhandled CUDA error"},
         .meaning = "A CUDA call within NCCL failed; NCCL's own log names it.",
         .remedies = {warnings,
                      "NCCL_P2P_DISABLE=1 python ...   (tells whether it is peer access: GeForce, an IOMMU, a virtual "
                      "machine)",
                      look("nvidia-smi topo -m; pip list | grep nccl   (an NCCL older than the GPU or driver?)"),
                      "NCCL_CUMEM_ENABLE=0 NCCL_NVLS_ENABLE=0 python ...   (virtual GPUs and containers lack these)"},
         .hints = {{"ncclallreduce",
                    "tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce())   "
                    "(TensorFlow without NCCL)"},
                   {"ncclallreduce",
                    "NCCL_DEBUG=INFO NCCL_P2P_DISABLE=1 python ...   (tells whether it is peer "
                    "access, and what NCCL says)"},
                   {"ncclallreduce", look("nvidia-smi topo -m; nvidia-smi nvlink -s")}},
         .read = read_cuda_failure,
         .rank = Rank::symptom},
        {.name = "NCCLs of several versions",
         .needles = {"Mismatched NCCL version detected", "NCCL version mismatch",
                     "NCCL WARN Invalid config blocking attribute"},
         .meaning = "The ranks loaded NCCL in different versions; all must have the same.",
         .remedies = {look("python -c 'import torch; print(torch.cuda.nccl.version())'; ldconfig -p | grep nccl   (in "
                           "each container or node)"),
                      "use one image or environment for all ranks"}},
        {.name = "NCCL: invalid usage",
         .needles = {"ncclInvalidUsage", "ncclInvalidArgument", "invalid usage, NCCL version",
                     "invalid argument, NCCL version", "NCCL error: invalid usage", "NCCL error: invalid argument"},
         .meaning = "NCCL was called in a way that it does not allow, or its libraries are of several versions.",
         .remedies = {"NCCL_DEBUG=WARN python ...", look("pip list | grep nccl")},
         .hints = {{"srun", "start as many processes as the world size says   (srun: nodes times --ntasks-per-node)"}},
         .read = read_last_error,
         .rank = Rank::symptom},
        {.name = "no backend for this device",
         .needles = {"No backend type associated with device type", "ProcessGroupNCCL is only supported with GPUs",
                     "Tensors must be CUDA and dense"},
         .meaning = "A collective of NCCL was given a tensor of the CPU, or the process sees no GPU.",
         .remedies = {"move the tensor or model to 'cuda' before it, or init_process_group('cpu:gloo,cuda:nccl')",
                      look("python -c 'import torch; print(torch.cuda.device_count())'")}},
        {.name = "process killed",
         .needles = {"exitcode: -9", "exitcode  : -9", "exitcode : -9", "return code = -9",
                     "Signal 9 (SIGKILL) received", "died with <Signals.SIGKILL: 9>", "terminated with signal SIGKILL",
                     "exit code -9", "\nKilled"},
         .meaning = "The system killed a process, most often because the host's memory was full (weights are loaded "
                    "there by each rank); else someone or the job's limits did.",
         .remedies = {look("sudo dmesg | grep -i -E 'oom|killed process'; free -h"),
                      "load the weights once, or with low_cpu_mem_usage=True; use fewer workers of the DataLoader"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return text[at] != '\n' ||
                        (contains_any(text_near(text, at, 1500, 0), {"Loading ", "torch", "cuda"}) &&
                         line_around(text, at + 1).size() < 8);
             },
         .rank = Rank::symptom},
        {.name = "process crashed",
         .needles = {"exitcode: -11", "exitcode  : -11", "exitcode : -11", "Signal 11 (SIGSEGV) received",
                     "died with <Signals.SIGSEGV", "terminated with signal SIGSEGV", "exit status 3221225477",
                     "0xC0000005", "Segmentation fault (core dumped)", "0xC0000409", "0xc0000005", "0xc0000409",
                     "Illegal instruction (core dumped)"},
         .meaning = "A process crashed (segmentation fault) in compiled code: most often a library or an extension of "
                    "another version than the rest, as NCCL or one that was built for another PyTorch.",
         .remedies = {"python -X faulthandler ...   (prints where it was)",
                      look("pip list | grep -iE 'torch|nccl|cu1'"), look("sudo dmesg | grep -E 'segfault|oom'")},
         .hints = {{"0xc000", look("Event Viewer, Windows Logs, Application   (names the DLL that crashed)")},
                   {"3221225477", look("Event Viewer, Windows Logs, Application   (names the DLL that crashed)")},
                   {"0xc000", "python -X faulthandler ...   (prints where it was)"},
                   {"3221225477", "python -X faulthandler ...   (prints where it was)"},
                   {"faster-whisper",
                    look("where cudnn64_9.dll cudnn64_8.dll cublas64_12.dll zlibwapi.dll   (Linux: ldconfig "
                         "-p | grep cudnn; CTranslate2 from 4.5 on wants cuDNN 9, before it 8)")},
                   {"3221225477", look("pip list")}},
         .near = {"torch", "cuda", "CUDA", "accelerate", "hisper", "onnx", "tensorflow"},
         .rank = Rank::symptom},
        {.name = "torchrun: a rank failed",
         .needles = {"torch.distributed.elastic.multiprocessing.errors.ChildFailedError"},
         .meaning = "torchrun says only that a rank failed; the rank's own error stands further up, or in its log.",
         .remedies =
             {"torchrun --tee 3 --log-dir logs ...   (keeps each rank's output; read the one that failed first)"},
         .rank = Rank::echo},
        {.name = "launcher: a process failed",
         .needles = {"returned non-zero exit status"},
         .meaning = "The launcher says only that a process that it started failed; that process' own error stands "
                    "further up.",
         .remedies = {"paste the first Traceback above it, and the lines before it   (of any rank)",
                      "torchrun --nproc-per-node=1 SCRIPT ...   (one process: its error stands alone)",
                      "torchrun --master-port=29501 ...   (if another run has the port: \"Address already in use\" "
                      "further up)"},
         .read = read_exit_of_launcher,
         .applies = is_of_launcher,
         .rank = Rank::echo},
        {.name = "NCCL: GPU of another process not seen",
         .needles = {"NCCL WARN Cuda failure 101", "NCCL WARN Cuda failure 'invalid device ordinal'"},
         .meaning =
             "NCCL was to use the memory of another rank's GPU directly, and this process may not see that GPU (code "
             "101): each task or container was given only its own.",
         .claims = {"001-E2"},
         .remedies = {look("srun nvidia-smi -L; nvidia-smi -L   (in each task or container: all GPUs, or one?)"),
                      "srun --gpus-per-node=8 --gpu-bind=none ...   (Slurm: each task sees all GPUs of the job, and "
                      "takes the one of its local rank)",
                      "docker run --gpus all ...   (containers: all GPUs in each; the program chooses its own)",
                      "NCCL_P2P_DISABLE=1 python ...   (through the host's memory; slower)"},
         .in_line = {"p2p.cc"}},
    };
}

}  // namespace tocuda::doctor
