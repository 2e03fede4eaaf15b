// tocuda, Apache-2.0.
// How far each multiprocessor is from one line of the L2 cache: one after another loads it many times, past L1.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/latency/two_modes.hpp"
#include "kernels/chase.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::l2_distance {
namespace {

constexpr std::size_t loads = 1024;
constexpr int most_attempts = 16;  // until a block has come to a multiprocessor
constexpr int most_passes = 8;     // until the clocks are steady

// Of one load on each multiprocessor, sorted.
struct Timed {
    std::vector<double> seconds{};
    std::vector<double> cycles{};
};

class Distance final : public Bench {
public:
    Distance() {
        const std::vector<std::uint64_t> only{0};
        upload(line.get() + line_bytes, std::as_bytes(std::span(only)), stream);
        write_cycle(stream, line.get(), reinterpret_cast<const std::uint64_t*>(line.get() + line_bytes), 1);
        stream.synchronize();
    }

    std::string why_skipped(const Parameters&) const override {
        return gpu.l2_bytes != 0 ? "" : "the size of the L2 cache is needed; the runtime does not report it";
    }

    Trial trial(const Parameters& set) override {
        const auto percentile = static_cast<double>(whole(set, "percentile"));
        // A call loads on every multiprocessor; the sample is the time of one load on one of them.
        const auto together = static_cast<std::int64_t>(loads * gpu.multiprocessors);
        const auto each = static_cast<double>(together);
        const auto last = std::make_shared<Timed>();
        return {
            .compared = "on each multiprocessor, where the loads end, the sum of what they returned, and the clocks",
            .differs = [this] { return what_differs(); },
            .timing = SelfTimed{
                .seconds =
                    [=, this] {
                        *last = timed_each();
                        if (!(last->seconds.front() > 0))
                            throw std::runtime_error("on one of the multiprocessors no load was timed");
                        return percentile_of(last->seconds, percentile) * each;
                    },
                .together = together,
                .cycles = [=] { return percentile_of(last->cycles, percentile) * each; },
                .tick_seconds = timer_step_seconds(stream),
                .busy = {.operation = [this](const Stream& on) { queue_each(on); }, .commands = gpu.multiprocessors}},
            .flags = flags()};
    }

private:
    Chase chase(std::size_t count) const {
        return {.memory = line.get(), .working_set = gpu.l2_bytes, .warm_loads = 1, .loads = count};
    }

    // The work of a sample, without waiting for each launch.
    void queue_each(const Stream& on) const {
        for (unsigned number = 0; number < gpu.multiprocessors; ++number)
            launch_chase_on(on, chase(loads), number, gpu.multiprocessors, found.device());
    }

    // Blocks go where the GPU wants, so it may take several launches until one is on this multiprocessor.
    Chased chased(unsigned multiprocessor) const {
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            *found.host() = {};
            launch_chase_on(stream, chase(loads), multiprocessor, gpu.multiprocessors, found.device());
            stream.synchronize();
            if (found.host()->end != 0) return *found.host();
        }
        return {};
    }

    // The clocks of a simulated GPU stand still in a kernel: there, it is the time between two events, less that of the
    // same launch without the loads.
    void time(unsigned multiprocessor, Timed& all) const {
        const auto seen = gpus_are_simulated() ? Chased{} : chased(multiprocessor);
        all.seconds.push_back(gpus_are_simulated() ? (between_events(loads) - between_events(0)) / loads
                                                   : 1e-9 * static_cast<double>(seen.nanoseconds) / loads);
        all.cycles.push_back(static_cast<double>(seen.cycles) / loads);
    }
    double between_events(std::size_t count) const {
        before.record(stream);
        launch_chase_on(stream, chase(count), 0, gpu.multiprocessors, found.device());
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    Timed timed_each() const {
        Timed all;
        for (unsigned number = 0; number < gpu.multiprocessors; ++number) time(number, all);
        std::ranges::sort(all.seconds);
        std::ranges::sort(all.cycles);
        return all;
    }

    // Nothing has warmed up the GPU yet. While its clocks rise, the multiprocessors that are timed first seem far.
    std::vector<double> seconds_at_steady_clocks() const {
        auto seconds = timed_each().seconds;
        for (int pass = 1; pass < most_passes; ++pass) {
            const auto last = std::exchange(seconds, timed_each().seconds);
            const auto alike = [&](double percentile) {
                const auto now = percentile_of(seconds, percentile);
                return std::abs(percentile_of(last, percentile) - now) <= 0.01 * now;
            };
            if (alike(10) && alike(90)) break;
        }
        return seconds;
    }

    Flags flags() const {
        if (!have_two_modes(seconds_at_steady_clocks())) return {};
        return {"two modes: some multiprocessors are nearer to this line of the L2 cache than the others"};
    }

    std::string what_differs() const {
        const auto address = reinterpret_cast<std::uintptr_t>(line.get());
        for (unsigned number = 0; number < gpu.multiprocessors; ++number) {
            const auto here = chased(number);
            const auto where = " on multiprocessor " + std::to_string(number);
            if (here.end == 0)
                return "in " + std::to_string(most_attempts) + " launches no block loaded anything" + where;
            if (here.end != address) return "the loads end at another line" + where;
            if (here.sum != loads * address) return "the loads returned something else" + where;
            if (!gpus_are_simulated() && (here.cycles <= 0 || here.nanoseconds == 0))
                return "the GPU's clocks did not advance" + where;
        }
        return "";
    }

    const GpuFacts gpu = gpu_facts();
    const Stream stream{};
    const Event before{};
    const Event after{};
    const DeviceMemory line{2 * line_bytes};
    const MappedMemory<Chased> found{};
};

const RegisteredBenchmark registered{
    {.benchmark = {.name = "latency/l2_distance",
                   .summary =
                       "time of one load from L2, by multiprocessor: the nearest, the farthest and those between",
                   .how =
                       "one multiprocessor after another loads the same line 1,024 times past L1, each time from the "
                       "address that the load before returned, by the GPU's clock. The times of all are sorted: "
                       "`percentile=0` is the nearest, 100 the farthest. A jump between two percentiles is a line "
                       "that is near for some and far for others; the rows then have the flag `two modes`",
                   .clock = Clock::device,
                   .parameters = {{"percentile", {}}},
                   .quick = {{"percentile", {}}},
                   .full = {{"percentile", {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}}},
                   .allowed = {{"percentile", {.most = 100}}},
                   .needs = {.gpus = 1},
                   .role = {.sheet = {{.order = 220,
                                       .section = "one load",
                                       .words = "from L2, nearest multiprocessor",
                                       .having = "percentile=0",
                                       .figure = "l2_latency_ns",
                                       .time = true},
                                      {.order = 230,
                                       .section = "one load",
                                       .words = "from L2, farthest multiprocessor",
                                       .having = "percentile=100",
                                       .time = true}},
                            .characterise = {"percentile=0,50,100"}}},
     .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Distance>(); }}};

}  // namespace
}  // namespace tocuda::benchmarks::l2_distance
