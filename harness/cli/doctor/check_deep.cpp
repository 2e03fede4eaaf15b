// tocuda, Apache-2.0.
// Whether bytes arrive: on each GPU, in each dtype, and from each GPU to each other one.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "doctor/deep.hpp"
#include "doctor/remedies.hpp"
#include "machine/pci_address.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto first_check = "first byte";
constexpr auto dtypes_check = "dtypes";
constexpr auto then_reset = "then reset the GPU, or reboot";

Finding of_first_byte(const Seen& seen, const FirstByteSeen& one) {
    if (one.failed.find("cudaErrorNoKernelImageForDevice") != std::string::npos)
        return unknown(first_check,
                       fmt::format("cuda:{} was not tried: tocuda was built without code for it; build it with "
                                   "TOCUDA_CUDA_ARCHITECTURES=all",
                                   one.gpu));
    if (!is_well(one))
        return fault(first_check, fmt::format("cuda:{}: no byte came back as it was sent: {}", one.gpu, one.failed),
                     look_at_log(seen, then_reset));
    const auto time = *one.seconds < 0.1 ? fmt::format("{:.3g} ms", 1e3 * *one.seconds)  // of a simulated GPU
                                         : fmt::format("{:.3g} s", *one.seconds);
    return ok(first_check, fmt::format("cuda:{} had its first byte {} after the start of a process", one.gpu, time));
}

std::string texts_in(const Values& values) {
    std::string text;
    for (const auto& value : values)
        if (const auto* one = std::get_if<std::string>(&value.held)) text += (text.empty() ? "" : "; ") + *one;
    return text;
}

Finding of_dtypes(const Seen& seen, const DtypesSeen& one) {
    const auto& evidence = one.evidence;
    const auto on = fmt::format("cuda:{}: ", one.gpu);
    std::int64_t moves = 0;
    try {
        if (!evidence.outcome.normal()) throw Undecided("the process that moves them: " + describe_end(evidence));
        for (const std::string way : {"blocking", "non_blocking", "pinned"}) {
            for (const auto& [list, what] : {std::pair{".changed", "came back changed"},
                                             {".stayed", "stayed on the CPU"},
                                             {".refused", "could not be moved"}})
                if (const auto names = texts_in(evidence.list(way + list)); !names.empty())
                    return fault(dtypes_check, fmt::format("{}tensors {}: {}", on, what, names),
                                 look_at_log(seen, then_reset));
            moves += evidence.integer(way + ".moved");
        }
        return ok(dtypes_check, fmt::format("{}{} moves of LibTorch's {} dtypes came back with the same bytes", on,
                                            moves, evidence.integer("types")));
    } catch (const Undecided& why) {
        return fault(dtypes_check, on + why.what(), look_at_log(seen, then_reset));
    }
}

using Direction = std::pair<int, int>;

std::string named(const Direction& way) { return fmt::format("cuda:{} to cuda:{}", way.first, way.second); }

const PciGpu* on_bus(const Seen& seen, int gpu) {
    const auto found = std::ranges::find(seen.probe.cuda_gpus, gpu, &CudaGpu::index);
    if (found == seen.probe.cuda_gpus.end()) return nullptr;
    const auto on = std::ranges::find_if(
        seen.bus.gpus, [&](const PciGpu& one) { return same_place(one.address, found->pci.value_or("")); });
    return on == seen.bus.gpus.end() ? nullptr : &*on;
}

// What between two GPUs may keep one from reaching the other.
struct Suspects {
    std::vector<std::string> bridges{};  // that redirect by their ACS
    bool unread = false;
    std::string iommu{};
};

Suspects between(const Seen& seen, const Direction& way) {
    Suspects suspects;
    for (const int gpu : {way.first, way.second}) {
        const auto* on = on_bus(seen, gpu);
        if (!on) continue;
        if (on->iommu.starts_with("DMA")) suspects.iommu = on->iommu;
        for (const auto& [address, redirects] : on->bridges) {
            if (!redirects) suspects.unread = true;
            else if (*redirects && std::ranges::find(suspects.bridges, address) == suspects.bridges.end())
                suspects.bridges.push_back(address);
        }
    }
    return suspects;
}

Finding broken(const Seen& seen, const Direction& way, const std::string& what) {
    const auto suspects = between(seen, way);
    auto evidence = named(way) + ": " + what;
    std::string bridges, commands;
    for (const auto& address : suspects.bridges) {
        bridges += (bridges.empty() ? "" : ", ") + address;
        commands += fmt::format("{}setpci -s {} ECAP_ACS+6.w=0000", commands.empty() ? "" : " && ", address);
    }
    if (!bridges.empty()) evidence += fmt::format("; ACS of the bridges {} sends it by way of the CPU", bridges);
    else if (suspects.unread) evidence += "; whether ACS of their bridges redirects it, root alone can read";
    if (!suspects.iommu.empty()) evidence += fmt::format("; the IOMMU translates ({})", suspects.iommu);
    auto remedy = !commands.empty() ? as_root(seen, commands) + "   (until the next boot; for good: in the firmware)"
                  : !suspects.iommu.empty() ? "iommu=pt   (on the kernel's command line)"
                                            : look_at_log(seen, then_reset);
    return fault(peers_check, evidence, remedy + "   (until then for NCCL: export NCCL_P2P_DISABLE=1)");
}

// The direction that fell silent: the one towards the GPU that heard less.
std::optional<Direction> silent_in_handshake(const PeerSeen& peer) {
    if (!peer.rounds || !peer.heard || !peer.heard_back || *peer.heard_back == *peer.rounds) return std::nullopt;
    return *peer.heard > *peer.heard_back ? Direction{peer.to, peer.from} : Direction{peer.from, peer.to};
}

std::string what_is_wrong(const PeerSeen& peer) {
    const auto receiver = fmt::format("cuda:{}", peer.to);
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (peer.stores_wrong_at.value_or(-1) >= 0)
        add(fmt::format("what a kernel stores is not what {} finds, from byte {} on{}", receiver, *peer.stores_wrong_at,
                        peer.mirrored == 1 ? fmt::format(", though cuda:{} reads it back as stored", peer.from) : ""));
    if (peer.copies_wrong_at.value_or(-1) >= 0)
        add(fmt::format("a copy does not arrive: {} finds other bytes, from {} on", receiver, *peer.copies_wrong_at));
    if (!peer.failed.empty())
        add(fmt::format("the process that tries it{}: {}", peer.doing.empty() ? "" : ", while trying " + peer.doing,
                        peer.failed));
    return text;
}

Findings of_peers(const Seen& seen, const std::vector<PeerSeen>& peers) {
    Findings findings;
    std::set<Direction> told;
    int well = 0, without_access = 0;
    for (const auto& peer : peers) {
        if (const auto what = what_is_wrong(peer); !what.empty()) {
            findings.push_back(broken(seen, {peer.from, peer.to}, what));
            told.insert({peer.from, peer.to});
        } else if (silent_in_handshake(peer) != Direction{peer.from, peer.to}) {
            ++well;
            without_access += peer.access == 0;
        }
    }
    for (const auto& peer : peers)
        if (const auto silent = silent_in_handshake(peer); silent && told.insert(*silent).second)
            findings.push_back(broken(seen, *silent,
                                      fmt::format("what one kernel stores does not reach another that runs meanwhile: "
                                                  "their handshake ended in round {} of {}",
                                                  *peer.heard_back + 1, *peer.rounds)));
    if (well > 0)
        findings.push_back(
            ok(peers_check, fmt::format("{} of {} directions between GPUs: what is sent arrives{}", well, peers.size(),
                                        without_access > 0 ? fmt::format(" ({} of them without peer access, by way of "
                                                                         "the host)",
                                                                         without_access)
                                                           : "")));
    return findings;
}

}  // namespace

Findings check_deep(const Seen& seen, const DeepSeen& deep) {
    Findings findings;
    for (const auto& one : deep.first_bytes) findings.push_back(of_first_byte(seen, one));
    for (const auto& one : deep.dtypes) findings.push_back(of_dtypes(seen, one));
    for (auto& one : of_peers(seen, deep.peers)) findings.push_back(std::move(one));
    if (seen.simulated())
        for (auto& one : findings) one.evidence.insert(0, "SIMULATED ");
    for (const auto& worker : deep.missing)
        findings.push_back(unknown("deep", "what needs it was not tried: " + worker));
    return findings;
}

}  // namespace tocuda::doctor
