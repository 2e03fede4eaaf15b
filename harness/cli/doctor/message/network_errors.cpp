// tocuda, Apache-2.0.
// How the processes of a group reach each other: rendezvous, sockets, InfiniBand.
#include <fmt/core.h>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto interfaces = "ip -br addr; ip route   (which interface has the address of the other node?)";
constexpr auto of_that_interface =
    "NCCL_SOCKET_IFNAME=NAME GLOO_SOCKET_IFNAME=NAME torchrun ...   (that interface, on every node)";
constexpr auto log_of_nccl = "NCCL_DEBUG=INFO python ... 2>&1 | grep -E 'NCCL WARN|NET/'";

// Gloo also joins processes that have no GPU.
bool is_of_gpus(std::string_view text, std::size_t at) {
    return !text.substr(at).starts_with("connectFullMesh") ||
           contains_any(text_near(text, at, 3000, 3000), {"cuda", "CUDA", "nccl", "NCCL"});
}

// "The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use)."
void read_bound_port(std::string_view text, std::size_t at, Explanation& told) {
    if (const auto port = number_after(text_near(text, at, 300, 100), "bind to [::]:"))
        told.arithmetic.push_back(fmt::format("it was to be port {}", *port));
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
    if (contains(words, "peer") || contains(words, "remote"))
        told.arithmetic.emplace_back(
            "the process or node at the other end went away first, or the network between them failed");
}

std::vector<KnownError> network_errors() {
    return {
        {.name = "NCCL over InfiniBand fails",
         .needles = {"NCCL WARN Call to ibv_", "NET/IB : Got completion from peer", "NET/IB: Got completion from peer",
                     "Call to ibv_create_qp failed", "Call to ibv_reg_mr failed", "Call to ibv_modify_qp failed",
                     "Call to ibv_reg_mr_iova2 failed", "ibv_poll_cq: Got completion", "Got async event : port error",
                     "Got async event: port error"},
         .meaning = "A call to the InfiniBand or RoCE adapter failed: link, memory limit, or wrong adapter.",
         .remedies = {look("ibstat; ulimit -l"), "NCCL_IB_DISABLE=1 python ...   (tells whether it is InfiniBand)",
                      "NCCL_IB_HCA=mlx5_0 python ...   (the right adapters)"}},
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
                     "Timed out initializing process group", "retrieving ncclUniqueId from"},
         .meaning = "A rank could not connect to another: rank 0 never started or has ended, the address or port is "
                    "wrong, a firewall is between, or a wrong interface was chosen (docker0, lo).",
         .remedies = {look("ip -br addr; echo $MASTER_ADDR $MASTER_PORT"), of_that_interface, "read the log of rank 0"},
         .applies = is_of_gpus,
         .rank = Rank::symptom},
        {.name = "NCCL: another process is gone",
         .needles = {"ncclRemoteError", "remote process exited or there was a network error",
                     "Connection closed by remote peer", "failed : Connection reset by peer", "failed : Broken pipe",
                     "failed: Connection reset by peer", "failed: Broken pipe"},
         .meaning = "NCCL lost the connection to another rank: that rank failed first, or the network or InfiniBand of "
                    "a node has a fault.",
         .remedies = {"read the log of the rank that ended first", log_of_nccl, look("ibstat; ip -s link")},
         .read = read_last_error,
         .near = {"NCCL", "nccl"},
         .rank = Rank::echo,
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
         .needles = {"ncclInternalError", "internal error, NCCL version", "NCCL error: internal error"},
         .meaning = "A check within NCCL failed; its last error and its warnings say which: most often the network "
                    "between ranks, else what it read of the machine (GPUs, PCIe, NVLink), or a bug that a newer "
                    "version may not have.",
         .remedies = {log_of_nccl, look(interfaces), look("nvidia-smi topo -m; pip list | grep nccl")},
         .read = read_last_error,
         .rank = Rank::symptom},
    };
}

}  // namespace tocuda::doctor
