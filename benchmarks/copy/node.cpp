// tocuda, Apache-2.0.
// Copies of page-locked memory on the GPU's own NUMA node and on the one farthest from it, by the copy engine or by a
// kernel.
#include <optional>

#include "benchmarks/copy/copy_over_link.hpp"
#include "benchmarks/copy/one_way.hpp"
#include "measurement/numa.hpp"
#include "measurement/peaks.hpp"

namespace tocuda::benchmarks::node {
namespace {

// One passage per node, allocated when it is first needed.
class OnNode final : public Bench {
public:
    OnNode(const std::vector<Parameters>& sets, Direction way)
        : direction(way), fit(twice), most(fit.most_bytes(sets)), nodes(nodes_of_current_gpu()) {}

    std::string why_skipped(const Parameters& set) const override {
        return nodes.why_not.empty() ? fit.why_skipped(set) : nodes.why_not;
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const bool near = text(set, "node") == "near";
        auto& passage = near ? near_by : far_away;
        const int node = near ? nodes.near : nodes.far;
        if (!passage) passage.emplace(direction, registered_memory_on(node, Passage::with_guards(most)), most);
        std::function<void(const Stream&)> copy = [this, &there = *passage, bytes](const Stream& queue) {
            copy_async(there.to(), there.from(), bytes, direction, queue);
        };
        if (text(set, "by") == "kernel") copy = copy_over_link(*passage, set);
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
                .timing = Queued{.operation = copy},
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
                                    .how = "two events on a stream, around copies by the copy engine, or by a kernel "
                                           "that accesses the host's memory itself; near is the GPU's own node, far "
                                           "the one farthest from it, and a flag names it",
                                    .clock = Clock::device,
                                    .parameters = {{"bytes", {}}, {"by", {"engine"}}, {"node", {"near", "far"}}},
                                    .quick = {{"bytes", {}}},
                                    .full = {{"bytes", all_sizes()}, {"by", {"engine", "kernel"}}},
                                    .alternates = "node",
                                    .needs = {.machine = "two NUMA nodes with memory"}},
                                   set_up<OnNode>};

}  // namespace
}  // namespace tocuda::benchmarks::node
