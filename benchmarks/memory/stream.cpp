// tocuda, Apache-2.0.
// Kernels of BabelStream as BabelStream times them: by the host's clock, from the call until the GPU has finished.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::stream {
namespace {

constexpr int calls = 100;                              // after a first one that does not count
constexpr std::int64_t most_elements = gib * 1024 / 8;  // so that no size overflows

// The kernel's own parameter set for this one.
Setting setting_of(const Parameters& set, const GpuFacts& gpu) {
    const std::int64_t bytes_each = text(set, "type") == "float" ? 4 : 8;
    return {{{"bytes", whole(set, "elements") * bytes_each}, {"type", text(set, "type")}}, gpu};
}

class HostTimed final : public Bench {
public:
    explicit HostTimed(const std::string& name) : kernel(kernel_named("memory/" + name)) {}

    std::string why_skipped(const Parameters& set) const override {
        const auto bytes = setting_of(set, gpu).bytes();
        const auto guarded = Guarded::allocated(bytes);
        return why_no_room(allocated_bytes({guarded, guarded, guarded, bytes}), free);
    }

    Trial trial(const Parameters& set) override {
        const auto setting = setting_of(set, gpu);
        const auto sizes = kernel.arrays(setting);
        const auto memory = std::make_shared<std::vector<Guarded>>();
        for (const auto bytes : sizes.bytes) memory->emplace_back(bytes);
        const Arrays arrays{memory->at(0).at(), memory->at(1).at(), memory->at(2).at()};
        const auto once = [this, arrays, memory, operation = kernel.operation(setting)] {
            operation(queue, arrays);
            queue.synchronize();
        };
        return {.bytes_one_way = static_cast<std::int64_t>(sizes.one_way),
                .bytes_touched = static_cast<std::int64_t>(sizes.touched),
                .peak = memory_peak(gpu, std::accumulate(sizes.bytes.begin(), sizes.bytes.end(), std::size_t{0})),
                .compared = kernel.compared,
                .differs =
                    [this, setting, arrays, once] {
                        const DeviceMemory expected(setting.bytes());
                        return what_differs(kernel, setting, arrays, expected.get(), queue, once);
                    },
                .timing = SelfTimed{
                    .seconds = [once, best = text(set, "of") == "best"] { return calls * seconds_of(once, best); },
                    .together = calls}};
    }

private:
    static double seconds_of(const std::function<void()>& once, bool best) {
        once();
        std::vector<double> seconds(calls);
        for (auto& each : seconds) {
            const auto before = host_seconds();
            once();
            each = host_seconds() - before;
        }
        std::sort(seconds.begin(), seconds.end());
        return best ? seconds.front() : (seconds[calls / 2 - 1] + seconds[calls / 2]) / 2;
    }

    const Kernel& kernel;
    const GpuFacts gpu = gpu_facts();
    const std::size_t free = free_device_bytes();
    const Stream queue{};
};

Measurable measured(const std::string& name, const std::string& summary) {
    return {
        .benchmark = {.name = "stream/" + name,
                      .summary = summary,
                      .how = "as BabelStream does: 100 calls after a first one, each by the host's clock from the call "
                             "until the GPU has finished, so that launching and waiting count; a sample is the best "
                             "of them, as BabelStream prints, or their median. Compare `touched` with its MBytes/sec",
                      .clock = Clock::host,
                      .parameters = {{"elements", {}}, {"type", {"float", "double"}}, {"of", {"best", "median"}}},
                      .quick = {{"elements", {}}},
                      .full = {{"elements", {std::int64_t{1} << 25}}},
                      .allowed = {{"elements", {.least = 1, .most = most_elements}}},
                      .needs = {.gpus = 1}},
        .set_up = [name](const std::vector<Parameters>&) { return std::make_unique<HostTimed>(name); }};
}

const RegisteredBenchmark add{measured("add", "c = a + b by the host's clock: BabelStream's Add")};
const RegisteredBenchmark nstream{measured("nstream", "a += b + s c by the host's clock: BabelStream's Nstream")};

}  // namespace
}  // namespace tocuda::benchmarks::stream
