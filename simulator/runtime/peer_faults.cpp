// tocuda, Apache-2.0.
#include "runtime/peer_faults.hpp"

#include <algorithm>
#include <utility>

namespace tocuda::simulator {

PeerFaults::PeerFaults(const std::vector<SimulatedFault>& faults, std::function<void(std::size_t)> happened)
    : tell(std::move(happened)) {
    for (std::size_t i = 0; i < faults.size(); ++i)
        if (!faults[i].peer.empty()) between_gpus.push_back({faults[i], i});
}

const PeerFaults::Between* PeerFaults::find(int from, int to, std::string_view peer) const {
    const auto found = std::find_if(between_gpus.begin(), between_gpus.end(), [&](const Between& one) {
        return one.fault.from == from && one.fault.to == to && one.fault.peer == peer;
    });
    return found == between_gpus.end() ? nullptr : &*found;
}

bool PeerFaults::loses_copies(int from, int to) const {
    const auto* const uncopied = find(from, to, "uncopied");
    if (uncopied && tell) tell(uncopied->place);
    return uncopied != nullptr;
}

void PeerFaults::run(int from, const std::vector<Range>& reached, bool ends, const std::function<void()>& effect) {
    struct Hidden {
        Range range;
        std::vector<std::byte>* seen;  // what stands there while the effect happens; afterwards, what it left there
        std::size_t fault;
    };
    std::vector<std::vector<std::byte>> lost;
    lost.reserve(reached.size());
    std::vector<Hidden> hidden;
    for (const auto& range : reached) {
        std::byte* const end = range.begin + range.bytes;
        const auto* fault = find(from, range.of, "mirrored");
        if (fault) {
            auto& mirror = mirrors[{from, range.begin}];
            if (mirror.size() != range.bytes) mirror.assign(range.begin, end);
            hidden.push_back({range, &mirror, fault->place});
            continue;
        }
        fault = find(from, range.of, "lost");
        if (!fault && !ends) fault = find(from, range.of, "stalled");
        if (fault) hidden.push_back({range, &lost.emplace_back(range.begin, end), fault->place});
    }
    const auto swap = [&] {
        for (const auto& [range, seen, fault] : hidden) std::swap_ranges(seen->begin(), seen->end(), range.begin);
    };
    swap();
    effect();
    swap();
    for (const auto& [range, seen, fault] : hidden)
        if (tell && !std::equal(seen->begin(), seen->end(), range.begin)) tell(fault);
}

}  // namespace tocuda::simulator
