// tocuda, Apache-2.0.
// Copies of page-locked memory on the GPU's own NUMA node and on the one farthest from it.
#include <optional>

#include "measurement/peaks.hpp"
#include "runtime_calls/numa.hpp"
#include "runtime_calls/one_way.hpp"

namespace tocuda::runtime_calls::node {
namespace {

// One passage per node, allocated when it is first needed.
class OnNode final : public Bench {
public:
    OnNode(const std::vector<Parameters>& sets, Direction way)
        : direction(way), fit(twice), most(fit.most_bytes(sets)), nodes(nodes_of_current_gpu()) {}

    std::string why_skipped(const Parameters& set) const override {
        if (!nodes.why_not.empty()) return nodes.why_not;
        const auto why = why_not_among(set, "node", {"near", "far"});
        return why.empty() ? fit.why_skipped(set) : why;
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const bool near = text(set, "node") == "near";
        auto& passage = near ? near_by : far_away;
        const int node = near ? nodes.near : nodes.far;
        if (!passage) passage.emplace(direction, registered_memory_on(node, Passage::with_guards(most)), most);
        const auto copy = [this, &there = *passage, bytes](const Stream& queue) {
            copy_async(there.to(), there.from(), bytes, direction, queue);
        };
        return {.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .peak = link_peak(),
                .compared = Passage::compared(direction),
                .differs =
                    [this, &there = *passage, bytes, copy] {
                        return there.what_differs(bytes, {}, [&] {
                            copy(stream);
                            stream.synchronize();
                        });
                    },
                .queue = copy,
                .flags = {"NUMA node " + std::to_string(node)}};
    }

private:
    static Room twice(const Parameters& set) {
        const auto once = once_on_each_side(set);
        return {.host_bytes = 2 * once.host_bytes, .device_bytes = 2 * once.device_bytes};
    }

    const Direction direction;
    const Fit fit;
    const std::size_t most;
    const GpuNodes nodes;
    Stream stream{};
    std::optional<Passage> near_by{};
    std::optional<Passage> far_away{};
};

const RegisteredEachWay registered{{.name = "node",
                                    .summary = "copy page-locked memory of a NUMA node",
                                    .clock = Clock::device,
                                    .parameters = {{"bytes", {}}, {"node", {"near", "far"}}},
                                    .quick = {{"bytes", {}}},
                                    .full = {{"bytes", all_sizes()}},
                                    .alternates = "node",
                                    .needs = {.machine = "two NUMA nodes with memory"}},
                                   set_up<OnNode>};

}  // namespace
}  // namespace tocuda::runtime_calls::node
