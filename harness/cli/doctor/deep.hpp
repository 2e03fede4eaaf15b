// tocuda, Apache-2.0.
// What processes that use the GPUs found out (`doctor --deep`), and pure checks of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/checks.hpp"
#include "model/evidence.hpp"

namespace tocuda::doctor {

inline constexpr auto peers_check = "peers";  // a fault of it concerns two GPUs, each of which may be well

// One process that copied and computed its first bytes. GPUs have CUDA's numbers.
struct FirstByteSeen {
    int gpu = 0;
    std::optional<double> seconds{};  // from its start to the first byte that was copied
    std::string failed{};             // an error, wrong bytes, or how the process ended
};

// One process that moved a tensor of each dtype of LibTorch: the evidence of the scenario dtype/every_type.
struct DtypesSeen {
    int gpu = 0;
    Evidence evidence{};
};

// One process that sent from one GPU to another.
struct PeerSeen {
    int from = 0;
    int to = 0;
    std::optional<std::int64_t> access{};           // kernels of `from` can reach the memory of `to`
    std::optional<std::int64_t> stores_wrong_at{};  // the first byte that `to` finds different; -1: none
    std::optional<std::int64_t> mirrored{};         // `from` reads back what `to` does not have
    std::optional<std::int64_t> copies_wrong_at{};
    std::optional<std::int64_t> rounds{};      // of the handshake, which `from` begins
    std::optional<std::int64_t> heard{};       // by `to`
    std::optional<std::int64_t> heard_back{};  // by `from`
    std::optional<std::int64_t> done{};
    std::string doing{};   // the last step begun
    std::string failed{};  // an error, or how the process ended
};

struct DeepSeen {
    std::vector<std::string> missing{};  // workers, and why: "tocuda-cuda: no CUDA compiler was found"
    std::vector<FirstByteSeen> first_bytes{};
    std::vector<DtypesSeen> dtypes{};
    std::vector<PeerSeen> peers{};
};

// From what the process wrote, and how it ended if not normally.
FirstByteSeen first_byte_of(int gpu, std::string_view said, const std::string& ended);
PeerSeen peer_of(int from, int to, std::string_view said, const std::string& ended);

bool is_well(const FirstByteSeen& seen);

// The GPUs, by CUDA's numbers, that may be tried: those that no other program uses.
std::vector<int> gpus_to_try(const Seen& seen);
// Why the others are not.
Findings not_tried(const Seen& seen);

Findings check_deep(const Seen& seen, const DeepSeen& deep);

}  // namespace tocuda::doctor
