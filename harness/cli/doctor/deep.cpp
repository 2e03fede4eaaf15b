// tocuda, Apache-2.0.
// Reads what the processes of `doctor --deep` wrote, and chooses the GPUs that they may use.
#include "doctor/deep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::size_t milestones = 5;  // program, runtime, context, first copy, first kernel
constexpr std::size_t first_copy = 3;

using PeerNumber = std::pair<std::string_view, std::optional<std::int64_t> PeerSeen::*>;
constexpr std::array peer_numbers{
    PeerNumber{"access", &PeerSeen::access},         PeerNumber{"stores_wrong_at", &PeerSeen::stores_wrong_at},
    PeerNumber{"mirrored", &PeerSeen::mirrored},     PeerNumber{"copies_wrong_at", &PeerSeen::copies_wrong_at},
    PeerNumber{"rounds", &PeerSeen::rounds},         PeerNumber{"heard", &PeerSeen::heard},
    PeerNumber{"heard_back", &PeerSeen::heard_back}, PeerNumber{"done", &PeerSeen::done}};

std::string why_not_tried(const Seen& seen, const CudaGpu& gpu) {
    const auto* health = health_of(seen, gpu);
    if (!health || !health->processes) return "NVML does not report whether other programs use it";
    if (*health->processes > 0)
        return fmt::format("{} other program{} it", *health->processes, *health->processes == 1 ? " uses" : "s use");
    const auto mode = static_cast<ComputeMode>(gpu.compute_mode.value_or(0));
    return mode == ComputeMode::prohibited ? "it is prohibited for computing" : "";
}

}  // namespace

FirstByteSeen first_byte_of(int gpu, std::string_view said, const std::string& ended) {
    FirstByteSeen seen{.gpu = gpu};
    std::istringstream in{std::string(said)};
    std::array<double, milestones> seconds{};
    for (auto& each : seconds) in >> each;
    std::string which;  // "wrong" or "failed"
    if (in >> which) {
        std::getline(in.ignore(), seen.failed);
        seen.seconds = seconds[first_copy];
    } else {
        seen.failed = ended.empty() ? "its process said nothing" : "its process: " + ended;
    }
    return seen;
}

PeerSeen peer_of(int from, int to, std::string_view said, const std::string& ended) {
    PeerSeen seen{.from = from, .to = to};
    std::istringstream in{std::string(said)};
    for (std::string key, value; std::getline(in, key, ' ') && std::getline(in, value);) {
        if (key == "doing") seen.doing = value;
        if (key == "failed") seen.failed = value;
        for (const auto& [name, member] : peer_numbers)
            if (name == key) seen.*member = whole_number(value);
    }
    if (!seen.done && seen.failed.empty()) seen.failed = ended.empty() ? "ended early" : ended;
    return seen;
}

bool is_well(const FirstByteSeen& seen) { return seen.seconds && seen.failed.empty(); }

std::vector<int> gpus_to_try(const Seen& seen) {
    std::vector<int> gpus;
    for (const auto& gpu : seen.probe.cuda_gpus)
        if (why_not_tried(seen, gpu).empty()) gpus.push_back(gpu.index);
    return gpus;
}

Findings not_tried(const Seen& seen) {
    Findings findings;
    for (const auto& gpu : seen.probe.cuda_gpus)
        if (const auto why = why_not_tried(seen, gpu); !why.empty())
            findings.push_back(unknown("deep", fmt::format("cuda:{} was not tried: {}", gpu.index, why)));
    return findings;
}

}  // namespace tocuda::doctor
