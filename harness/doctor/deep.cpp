// tocuda, Apache-2.0.
// Reads what the processes of `doctor --deep` wrote, and chooses the GPUs that they may use.
#include "doctor/deep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "machine/text_file.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::size_t milestones = 5;  // program, runtime, context, first copy, first kernel
constexpr std::size_t first_copy = 3;

template <class Peer, class Each>
void for_fields(Peer& peer, Each each) {
    each("access", peer.access);
    each("stores_wrong_at", peer.stores_wrong_at);
    each("mirrored", peer.mirrored);
    each("copies_wrong_at", peer.copies_wrong_at);
    each("rounds", peer.rounds);
    each("heard", peer.heard);
    each("heard_back", peer.heard_back);
    each("done", peer.done);
}

std::optional<double> number_in(std::string_view word) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

std::string why_not_tried(const Seen& seen, const CudaGpu& gpu) {
    const auto* health = health_of(seen, gpu);
    if (health == nullptr || !health->processes) return "NVML does not report whether other programs use it";
    if (*health->processes > 0)
        return fmt::format("{} other program{} it", *health->processes, *health->processes == 1 ? " uses" : "s use");
    const auto mode = static_cast<ComputeMode>(gpu.compute_mode.value_or(0));
    return mode == ComputeMode::prohibited ? "it is prohibited for computing" : "";
}

}  // namespace

FirstByteSeen first_byte_of(int gpu, std::string_view said, const std::string& ended) {
    FirstByteSeen seen{.gpu = gpu};
    const auto words = words_of(said.substr(0, said.find('\n')));
    if (words.size() > milestones) {
        const auto text = said.substr(static_cast<std::size_t>(words[milestones].data() - said.data()));
        const auto rest = text.substr(0, text.find('\n'));
        const auto space = std::min(rest.find(' '), rest.size());
        seen.failed = rest.substr(std::min(space + 1, rest.size()));
        seen.seconds = number_in(words[first_copy]);
    } else {
        seen.failed = ended.empty() ? "its process said nothing" : "its process " + ended;
    }
    return seen;
}

PeerSeen peer_of(int from, int to, std::string_view said, const std::string& ended) {
    PeerSeen seen{.from = from, .to = to};
    for (const auto& line : lines_of(said)) {
        const auto space = std::min(line.find(' '), line.size());
        const auto key = line.substr(0, space);
        const auto value = line.substr(std::min(space + 1, line.size()));
        if (key == "doing") seen.doing = value;
        if (key == "failed") seen.failed = value;
        for_fields(seen, [&](std::string_view name, auto& member) {
            if (name == key) member = whole_number<std::int64_t>(value);
        });
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
