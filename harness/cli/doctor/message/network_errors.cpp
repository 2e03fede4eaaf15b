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

constexpr auto of_that_interface =
    "NCCL_SOCKET_IFNAME=NAME GLOO_SOCKET_IFNAME=NAME torchrun ...   (that interface, on every node)";
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

Functions network_functions() {
    return {.readings = {{"read_completion", read_completion},
                         {"read_address", read_address},
                         {"read_bound_port", read_bound_port},
                         {"read_meeting", read_meeting},
                         {"read_last_error", read_last_error},
                         {"read_magic", read_magic},
                         {"read_kinds", read_kinds},
                         {"read_transfer", read_transfer},
                         {"read_nixl", read_nixl}},
            .conditions = {{"is_of_gpus", is_of_gpus}}};
}

}  // namespace tocuda::doctor
