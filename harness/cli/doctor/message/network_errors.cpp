// tocuda, Apache-2.0.
// How the processes of a group reach each other: rendezvous, sockets, InfiniBand.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto interfaces = "ip -br addr; ip route   (which interface has the address of the other node?)";
constexpr auto of_that_interface =
    "NCCL_SOCKET_IFNAME=NAME GLOO_SOCKET_IFNAME=NAME torchrun ...   (that interface, on every node)";
constexpr auto log_of_nccl = "NCCL_DEBUG=INFO python ... 2>&1 | grep -E 'NCCL WARN|NET/'";

void tell_of_adapters(std::int64_t number, Explanation& told) {
    constexpr auto no_answer = 12;
    if (number == no_answer)
        told.remedies = {
            {"ibstat; show_gids; ibv_devinfo -v | grep -iE 'state|mtu'   (on both nodes: ports up, the same MTU, "
             "RoCE v2 at which GID?)",
             Scope::look},
            "ib_write_bw -d mlx5_0 -x 3; ib_write_bw -d mlx5_0 -x 3 HOST   (does RDMA work without NCCL?)",
            "NCCL_IB_GID_INDEX=3 NCCL_IB_HCA=mlx5_0 python ...   (RoCE: the GID of RoCE v2, on each node)",
            "NCCL_IB_TIMEOUT=22 NCCL_IB_RETRY_CNT=13 python ...   (if it fails after hours, under load)"};
    else if (number == 4 || number == 10)
        told.remedies = {
            "NCCL_NET_GDR_LEVEL=LOC python ...   (without GPUDirect RDMA: tells whether it is that)",
            {"sudo lspci -vvv | grep ACSCtl; lsmod | grep -E 'peermem|peer_mem'   (ACS on, SrcValid+, is wrong)",
             Scope::look},
            {"iommu=pt   (on the kernel's command line, and ACS off in the BIOS; then reboot; undo: remove it)",
             Scope::machine},
            "NCCL_IB_PCI_RELAXED_ORDERING=0 python ..."};
}

// "status=12", "with error 12", "status=IBV_WC_RETRY_EXC_ERR(12)": what the adapter says of a transfer.
void read_completion(std::string_view text, std::size_t at, Explanation& told) {
    struct Status {
        std::int64_t number;
        std::string_view means;
    };
    constexpr auto all = std::to_array<Status>(
        {{4, "the adapter may not access the memory: GPUDirect RDMA, an IOMMU or ACS"},
         {5, "it was flushed: another transfer failed before it, whose line is the one to read"},
         {9, "the other side refused the request: it ended, or is another version of NCCL"},
         {10, "the memory of the other side may not be accessed: GPUDirect RDMA, an IOMMU or ACS"},
         {11, "the other side failed: read its log"},
         {12,
          "no answer came within the retries: the adapters do not reach each other (RoCE: GID, VLAN, MTU, lossless "
          "queues), a cable or switch fails, or the other process hangs or has ended"},
         {13, "the other side had no buffer ready for too long: it hangs or is slow"}});
    const auto line = line_around(text, at);
    auto number = number_after(line, "status=");
    if (!number) number = number_after(line, "with error ");
    if (!number)
        if (const auto in_words = between(line, "status=IBV_", ")")) number = number_after(*in_words, "(");
    const auto* const found = std::ranges::find(all, number.value_or(0), &Status::number);
    if (found == all.end()) return;
    told.arithmetic.push_back(fmt::format("status {}: {}", found->number, found->means));
    tell_of_adapters(found->number, told);
}

// "wrong magic 74656d2f20544547 != ...": the first eight bytes that came, the last one first.
void read_magic(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::size_t digits = 16;
    constexpr auto base = 16;
    const auto words = between(text.substr(at), "wrong magic ", " ");
    if (!words || words->size() != digits) return;
    std::string came;
    for (std::size_t i = digits; i >= 2; i -= 2) {
        unsigned value = 0;
        const auto* const from = words->data() + i - 2;
        if (std::from_chars(from, from + 2, value, base).ec != std::errc{} || value < ' ' || value > '~') return;
        came += static_cast<char>(value);
    }
    told.arithmetic.push_back(fmt::format(
        "it sent \"{}\"{}", came, came.starts_with("GET ") ? ": a program that asks by HTTP, as a monitor" : ""));
}

// "wrong type 4 != 3"
void read_kinds(std::string_view text, std::size_t at, Explanation& told) {
    constexpr auto kinds = std::to_array<std::string_view>(
        {"none", "the start of the group", "a rank's helper", "plain sockets", "InfiniBand or RoCE", "RAS"});
    const auto came = number_after(text.substr(at), "wrong type ");
    const auto wanted = number_after(text.substr(at), "!= ");
    const auto is_kind = [&kinds](const std::optional<std::int64_t>& number) {
        return number && *number >= 0 && *number < std::ssize(kinds);
    };
    if (!is_kind(came) || !is_kind(wanted)) return;
    told.arithmetic.push_back(fmt::format("one side means {}, the other {}", kinds[static_cast<std::size_t>(*came)],
                                          kinds[static_cast<std::size_t>(*wanted)]));
}

// "Process failed for slice (...): transport retry counter exceeded"
void read_transfer(std::string_view text, std::size_t, Explanation& told) {
    if (contains(text, "transport retry counter exceeded"))
        told.arithmetic.emplace_back(
            "no answer came within the retries: these two adapters do not reach each other, or the other server ended");
    else if (contains_any(text, {"local protection error", "remote access error"})) {
        told.arithmetic.emplace_back("the adapter may not access the memory: it is not registered, or freed again");
        told.remedies.insert(told.remedies.begin(),
                             {"lsmod | grep nvidia_peermem || sudo modprobe nvidia_peermem   (lets adapters reach "
                              "the GPU's memory; undo: sudo modprobe -r nvidia_peermem)",
                              Scope::machine});
    }
}

// "Unexpected UCX error: Endpoint timeout"
void read_nixl(std::string_view text, std::size_t, Explanation& told) {
    if (contains(text, "Endpoint timeout"))
        told.arithmetic.emplace_back(
            "the other server did not answer: a network or firewall between them, or it ended");
    if (contains_any(text, {"mlx5dv_devx_obj_create", "create_cq", "ibv_create_qp"}))
        told.arithmetic.emplace_back(
            "the adapter refused another queue: its driver or firmware is too old for it, or it has no more");
}

// Gloo also joins processes that have no GPU.
bool is_of_gpus(std::string_view text, std::size_t at) {
    return !text.substr(at).starts_with("connectFullMesh") ||
           contains_any(text_near(text, at, 3000, 3000), {"cuda", "CUDA", "nccl", "NCCL"});
}

// "The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use)."
void read_bound_port(std::string_view text, std::size_t at, Explanation& told) {
    if (const auto port = number_after(text_near(text, at, 300, 100), "bind to [::]:")) {
        told.arithmetic.push_back(fmt::format("it was to be port {}", *port));
        if (contains(text_near(text, at, 300, 100), "errno: 13")) return;
        told.remedies = {
            {fmt::format("ss -ltnp | grep {}   (who has it?)", *port), Scope::look},
            "torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0 ...   (one node: takes a free port)",
            fmt::format("MASTER_PORT={} python ...   (another one, the same on all nodes; accelerate launch: "
                        "--main_process_port, deepspeed: --master_port)",
                        *port < 60000 ? *port + 1 : *port - 1)};
        if (contains_any(text, {"srun", "SLURM", "SBATCH", "slurm"}))
            told.remedies.emplace_back(
                "#SBATCH --ntasks-per-node=1   (torchrun and accelerate launch are started once for "
                "each node, and make the other ranks themselves)");
    }
}

void tell_of_meeting_at(std::string_view host, std::int64_t port, bool windows, Explanation& told) {
    if (host == "kubernetes.docker.internal" || host == "localhost" || host == "127.0.0.1")
        told.arithmetic.push_back(
            fmt::format("it is {}, this very machine: nothing listens at port {}, so rank 0 never started or has ended",
                        host, port));
    else if (windows)
        told.remedies = {
            {fmt::format("Test-NetConnection {} -Port {}   (PowerShell, while rank 0 waits)", host, port), Scope::look},
            "set MASTER_ADDR=127.0.0.1&& set USE_LIBUV=0&& torchrun ...   (one machine: its name may resolve to an "
            "address that nothing listens at)",
            "torch.distributed.init_process_group('gloo')   (there is no NCCL for Windows)",
            "start it without torch.distributed   (one GPU needs none; Lightning: Trainer(devices=1, "
            "strategy='auto'))"};
    else
        told.remedies = {
            {fmt::format("getent hosts {0}; nc -zv {0} {1}   (while rank 0 waits: is it the address of the first node, "
                         "and does anything answer?)",
                         host, port),
             Scope::look},
            {"ip -br addr; ss -ltn; systemctl is-active ufw firewalld   (on the first node: is that address its own, "
             "and is the port open?)",
             Scope::look},
            "read the log of the first node   (did it start, and fail first?)",
            std::string(of_that_interface)};
}

// "... while trying to connect to (192.0.0.1, 1234)", "... to connect to [node1]:1234"
void read_meeting(std::string_view text, std::size_t, Explanation& told) {
    constexpr std::size_t most = 200;
    if (contains(text, "generated a random run_id"))
        told.arithmetic.emplace_back(
            "torchrun was given no --rdzv-id, so each node made up one of its own: they never meet");
    for (const std::string_view label : {"trying to connect to ", "failed to connect to "}) {
        const auto found = text.find(label);
        if (found == std::string_view::npos) continue;
        auto rest = text.substr(found + label.size(), most);
        rest.remove_prefix(std::min(rest.find_first_not_of("(["), rest.size()));
        const auto end = rest.find_first_of(":,] \n");
        if (end == std::string_view::npos) return;
        const auto host = rest.substr(0, end);
        const auto port = number_after(rest.substr(end), rest[end] == ',' ? "," : ":");
        if (!host.empty() && port) tell_of_meeting_at(host, *port, origin_of(text).windows, told);
        return;
    }
}

void read_address(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    for (const std::string_view label : {"Connect to ", "recv from ", "send to ", "connect to "})
        if (const auto found = line.find(label); found != std::string_view::npos) {
            const auto rest = line.substr(found + label.size());
            const auto address = rest.substr(0, rest.find_first_of("< :\r"));
            told.arithmetic.push_back(fmt::format(
                "the address that does not answer is {}: is it of the network that the nodes share?", address));
            return;
        }
}

}  // namespace

// "Last error:\nsocketProgressOpt: Call to recv from 172....<33759> failed : Connection reset by peer"
void read_last_error(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view label = "Last error:";
    constexpr std::size_t most = 300;
    const auto message = text.substr(at, 1500);
    const auto begin = message.find(label);
    if (begin == std::string_view::npos) return;
    const auto rest = message.substr(begin + label.size());
    const auto line = rest.find_first_not_of(" \r\n");
    if (line == std::string_view::npos) return;
    const auto words = without_prefixes(rest.substr(line, rest.find_first_of("\r\n", line) - line)).substr(0, most);
    told.arithmetic.push_back(fmt::format("NCCL's own last error: {}", words));
    if (contains(words, "Socket recv failed while polling"))
        told.arithmetic.emplace_back(
            "the thread of NCCL that was asked has ended: its NCCL WARN, in this rank's log or in that of a rank of "
            "the "
            "same node, is the one to read");
    else if (contains_any(words, {"peer", "remote"}))
        told.arithmetic.emplace_back(
            "the process or node at the other end went away first, or the network between them failed");
}

std::vector<KnownError> network_errors() {
    return {
        {.name = "NCCL over InfiniBand fails",
         .needles = {"NCCL WARN Call to ibv_", "NET/IB : Got completion from peer", "NET/IB: Got completion from peer",
                     "Call to ibv_create_qp failed", "Call to ibv_reg_mr failed", "Call to ibv_modify_qp failed",
                     "Call to ibv_reg_mr_iova2 failed", "ibv_poll_cq: Got completion", "Got completion with error",
                     "Got CQE with error", "Got completion from peer", "Call to ibv_reg_dmabuf_mr_iova2 failed",
                     "Call to ibv_create_cq failed", "Call to ibv_alloc_pd failed", "Call to ibv_open_device failed",
                     "Got async event : port error", "Got async event: port error"},
         .meaning = "A call to the InfiniBand or RoCE adapter failed: link, memory limit, or wrong adapter.",
         .remedies = {look("ibstat; ulimit -l"), "NCCL_IB_DISABLE=1 python ...   (tells whether it is InfiniBand)",
                      "NCCL_IB_HCA=mlx5_0 python ...   (the right adapters)"},
         .read = read_completion},
        {.name = "no such network interface",
         .needles = {"no socket interface found", "No socket interface found", "No interface found in the same subnet",
                     "no interface found", "Unable to find interface for:", "Unable to find address for:"},
         .meaning = "NCCL or Gloo found no network interface that it may use: NCCL_SOCKET_IFNAME or GLOO_SOCKET_IFNAME "
                    "names one that is not there, as in a container, or only loopback and docker0 are left.",
         .remedies = {look("ip -br addr; env | grep -E 'NCCL|GLOO'"),
                      "unset NCCL_SOCKET_IFNAME GLOO_SOCKET_IFNAME   (then it chooses by itself)", of_that_interface},
         .near = {"torch", "c10d", "NCCL", "socket.cpp"}},
        {.name = "ranks do not reach each other",
         .needles = {"failed : Connection refused", "failed : No route to host", "failed : Connection timed out",
                     "failed : Network is unreachable", "failed: Connection refused", "failed: No route to host",
                     "failed: Connection timed out", "failed: Network is unreachable", "returned Connection refused",
                     "returned No route to host", "returned Connection timed out",
                     "NCCL WARN socketStartConnect: Connect to", "NCCL WARN socketPollConnect: Connect to"},
         .meaning = "A rank could not connect to another: NCCL chose an interface that the other does not reach "
                    "(docker0, a second network), a firewall is between, or the other process has ended.",
         .remedies =
             {look(interfaces), of_that_interface,
              look("nc -zv ADDRESS PORT   (from the other node: does anything answer, or is a firewall between?)"),
              "read the log of the other rank   (did it fail first?)"},
         .read = read_address,
         .near = {"NCCL", "nccl"}},
        {.name = "port of the rendezvous for root alone",
         .needles = {"(errno: 13 - Permission denied)"},
         .meaning = "Ports below 1024 are for root alone, and the port at which the ranks are to meet is one of them.",
         .remedies = {"MASTER_PORT=29501 python ...   (1024 or above)",
                      "torchrun --master-port 29501 ...   (accelerate launch: --main_process_port, deepspeed: "
                      "--master_port)"},
         .read = read_bound_port,
         .in_line = {"bind"}},
        {.name = "port of the rendezvous in use",
         .needles = {"EADDRINUSE", "The server socket has failed to listen on any local network address",
                     "Address already in use"},
         .meaning = "Another job, or what is left of the last one, uses the port at which the ranks meet.",
         .remedies = {"torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0 ...   (takes a free port)",
                      "MASTER_PORT=29501 python ...", look("ss -ltnp | grep 29500   (who has it)")},
         .read = read_bound_port,
         .applies = [](std::string_view text, std::size_t at) { return !contains(line_around(text, at), "errno: 13"); },
         .near = {"torch", "c10d", "NCCL", "socket.cpp"}},
        {.name = "ranks do not reach each other",
         .needles = {"The client socket has failed to connect", "DistNetworkError", "DistStoreError: Timed out",
                     "The client socket has timed out", "connectFullMesh failed",
                     "Timed out initializing process group", "retrieving ncclUniqueId from",
                     "retreiving ncclUniqueId from", "RendezvousConnectionError", "cannot be retrieved (gai error",
                     "RendezvousTimeoutError", "connection to the C10d store has failed",
                     "connect() timed out. Original timeout", "wait timeout after ", "store_based_barrier_key"},
         .meaning = "A rank could not connect to another: rank 0 never started or has ended, the address or port is "
                    "wrong, a firewall is between, or a wrong interface was chosen (docker0, lo).",
         .remedies = {look("ip -br addr; echo $MASTER_ADDR $MASTER_PORT"), of_that_interface, "read the log of rank 0"},
         .read = read_meeting,
         .applies = is_of_gpus,
         .rank = Rank::symptom},
        {.name = "Gloo: another process is gone",
         .needles = {"gloo/transport/tcp/pair.cc", "gloo/transport/tcp/unbound_buffer.cc"},
         .meaning =
             "Gloo, which joins the processes beside NCCL, lost another rank or waited too long for it: that rank "
             "failed first, is busy with something long (data, a checkpoint), or cannot be reached.",
         .remedies = {"read the log of the rank that ended first",
                      "init_process_group(..., timeout=timedelta(hours=2))   (if a rank only takes so long)",
                      "GLOO_SOCKET_IFNAME=NAME torchrun ...   (the interface between the nodes; see: ip -br addr)"},
         .near = {"cuda", "CUDA", "nccl", "NCCL", "GPU", "vllm", "megatron", "deepspeed", "[rank"},
         .rank = Rank::echo},
        {.name = "NCCL: another process is gone",
         .needles = {"ncclRemoteError", "remote process exited or there was a network error",
                     "Connection closed by remote peer", "failed : Connection reset by peer", "failed : Broken pipe",
                     "failed: Connection reset by peer", "failed: Broken pipe",
                     "Socket recv failed while polling for opId"},
         .meaning = "NCCL lost the connection to another rank: that rank failed first, or the network or InfiniBand of "
                    "a node has a fault.",
         .remedies = {"read the log of the rank that ended first", log_of_nccl, look("ibstat; ip -s link")},
         .read = read_last_error,
         .near = {"NCCL", "nccl"},
         .rank = Rank::echo,
         .certain = false},
        {.name = "NCCL: rank cannot be reached",
         .needles = {"no POLLOUT events", "socketPollConnect poll() ", "socketProgress: Connection timed out"},
         .meaning = "NCCL could not connect to another rank: its packets are dropped, by a firewall or because the "
                    "address is of a network that does not lead there, or that rank has ended.",
         .remedies = {look(interfaces), of_that_interface,
                      look("systemctl is-active ufw firewalld   (on both nodes: NCCL takes any free port)"),
                      "read the log of the rank that ended first"},
         .near = {"NCCL"},
         .certain = false},
        {.name = "NCCL: strangers at its port",
         .needles = {"socketFinalizeAccept: wrong magic"},
         .meaning = "Something that is not of this group connected to a port of NCCL, as a scanner, a monitor or "
                    "another run; NCCL sends it away and waits on. Some versions hang after it.",
         .remedies = {"NCCL_SOCKET_IFNAME=NAME torchrun ...   (an interface that only the nodes use)",
                      "keep what scans ports or asks for metrics from these nodes' free ports",
                      "{torch}   (a newer one brings a newer NCCL; in a new environment)"},
         .read = read_magic,
         .rank = Rank::warned},
        {.name = "NCCL: ranks on different networks",
         .needles = {"socketFinalizeAccept: wrong type"},
         .meaning = "Two ranks do not mean the same kind of connection.",
         .remedies =
             {look("NCCL_DEBUG=INFO python ... 2>&1 | grep 'Using network'   (on each node: is it the same?)"),
              look("ibstat; pip list | grep nccl   (on each node: adapters up, NCCL of one version?)"),
              "NCCL_IB_DISABLE=1 torchrun ...   (on every node: sockets for all; slower)",
              "docker run --device=/dev/infiniband --cap-add IPC_LOCK ...   (if one node's container has none)"},
         .read = read_kinds},
        {.name = "RDMA between servers failed",
         .needles = {"Too many errors found in local RNIC", "Context is not active: ", "Process failed for slice",
                     "Failed to complete transfers after", "Sync batch data transfer timeout", "KVTransferError",
                     "No available RNIC", "GID is NULL"},
         .meaning =
             "Mooncake, which brings the cache of tokens from one server to another, could not move it by RDMA: the "
             "adapters do not reach each other, or may not access the GPU's memory; or the other server has ended.",
         .remedies =
             {look("ibv_devinfo | grep -E 'hca_id|state|link_layer'; show_gids   (on both: ports active, which GID is "
                   "RoCE v2?)"),
              "python -m sglang.launch_server --disaggregation-ib-device mlx5_0 ...   (on both: the adapters that "
              "reach each other)",
              "MC_GID_INDEX=3 python ...   (RoCE: the GID of RoCE v2, on both)",
              "MC_FORCE_TCP=1 python ...   (without RDMA: tells whether it is that; slower)"},
         .read = read_transfer,
         .near = {"mooncake", "Mooncake", "rdma_", "worker_pool", "transfer_", "RNIC", "disaggregation", "prefill"},
         .certain = false},
        {.name = "NIXL: a server cannot reach the other",
         .needles = {"NIXL_ERR_", "nixlBackendError", "nixlRemoteDisconnectError", "ucx_utils.cpp"},
         .meaning = "NIXL, which brings the cache of tokens from one server to another, failed in UCX: the two have no "
                    "network "
                    "in common that works, or two versions of UCX are loaded (NIXL's package brings its own).",
         .remedies = {look("pip list | grep -iE 'nixl|ucx'; ucx_info -v; ldconfig -p | grep libuc   (more than one "
                           "UCX?)"),
                      "UCX_LOG_LEVEL=info python ...   (which network each side takes)",
                      "UCX_NET_DEVICES=mlx5_0:1 python ...   (on both: the adapter that reaches the other; eth0 for "
                      "TCP)",
                      "UCX_TLS=tcp,cuda_copy python ...   (without RDMA: tells whether it is that; slower)"},
         .read = read_nixl,
         .certain = false},
        {.name = "NCCL: system error",
         .needles = {"ncclSystemError", "unhandled system error", "NCCL Error 2:"},
         .meaning = "NCCL could not open a socket, a device or memory. In a container most often /dev/shm is too "
                    "small; else the network interface is the wrong one.",
         .remedies = {look("df -h /dev/shm   (64M in a container: docker run --shm-size=8g ...)"), log_of_nccl,
                      look(interfaces), of_that_interface},
         .read = read_last_error,
         .rank = Rank::symptom},
        {.name = "NCCL: internal error",
         .needles = {"ncclInternalError", "internal error, NCCL version", "NCCL Error 3:", "NCCL error: internal error",
                     "internal error - please report this issue to the NCCL"},
         .meaning = "A check within NCCL failed; its last error and its warnings say which: most often the network "
                    "between ranks, else what it read of the machine (GPUs, PCIe, NVLink), or a bug that a newer "
                    "version may not have.",
         .remedies = {log_of_nccl, look(interfaces), look("nvidia-smi topo -m; pip list | grep nccl")},
         .read = read_last_error,
         .rank = Rank::symptom},
    };
}

}  // namespace tocuda::doctor
