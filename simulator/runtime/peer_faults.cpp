// tocuda, Apache-2.0.
#include "runtime/peer_faults.hpp"

#include <algorithm>

namespace tocuda::simulator {

PeerFaults::PeerFaults(const std::vector<SimulatedFault>& faults) {
    std::copy_if(faults.begin(), faults.end(), std::back_inserter(between_gpus),
                 [](const SimulatedFault& fault) { return !fault.peer.empty(); });
}

const SimulatedFault* PeerFaults::find(int from, int to, std::string_view peer) const {
    const auto found = std::find_if(between_gpus.begin(), between_gpus.end(), [&](const SimulatedFault& fault) {
        return fault.from == from && fault.to == to && fault.peer == peer;
    });
    return found == between_gpus.end() ? nullptr : &*found;
}

void PeerFaults::run(int from, const std::vector<Range>& reached, bool ends, const std::function<void()>& effect) {
    struct Hidden {
        Range range;
        std::vector<std::byte>* seen;  // what stands there while the effect happens; afterwards, what it left there
    };
    std::vector<std::vector<std::byte>> lost;
    lost.reserve(reached.size());
    std::vector<Hidden> hidden;
    for (const auto& range : reached) {
        std::byte* const end = range.begin + range.bytes;
        if (find(from, range.of, "mirrored")) {
            auto& mirror = mirrors[{from, range.begin}];
            if (mirror.size() != range.bytes) mirror.assign(range.begin, end);
            hidden.push_back({range, &mirror});
        } else if (find(from, range.of, "lost") || (!ends && find(from, range.of, "stalled"))) {
            hidden.push_back({range, &lost.emplace_back(range.begin, end)});
        }
    }
    const auto swap = [&] {
        for (const auto& [range, seen] : hidden) std::swap_ranges(seen->begin(), seen->end(), range.begin);
    };
    swap();
    effect();
    swap();
}

}  // namespace tocuda::simulator
