// tocuda, Apache-2.0.
// What the benchmarks of pairs of GPUs share: their parameters `from` and `to`, whether a set fits, copies on several
// GPUs at once, and the warm-up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/peer_access.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/peaks.hpp"
#include "measurement/room.hpp"
#include "measurement/trial.hpp"
#include "measurement/warm_up.hpp"

namespace tocuda {

constexpr std::int64_t most_gpus = 16;
inline const Allowed allowed_gpus{.most = most_gpus - 1};

// GPUs by their number in the process. `bench` leaves out those that the machine does not have.
inline Values gpu_numbers() {
    Values numbers;
    for (std::int64_t gpu = 0; gpu < most_gpus; ++gpu) numbers.emplace_back(gpu);
    return numbers;
}

// Repeats an operation until its rate has been steady for a while, as the clocks of idle GPUs rise.
inline void run_until_steady(const std::function<void(const Stream&)>& queue) {
    const Stream main;
    int together = 1;
    const auto rate = [&]() -> std::optional<double> {
        const auto began = host_seconds();
        for (int i = 0; i < together; ++i) queue(main);
        main.synchronize();
        const auto seconds = host_seconds() - began;
        if (!(seconds > 0)) throw std::runtime_error("the clock did not advance while the GPUs were warmed up");
        const auto found = together / seconds;
        if (seconds < 1e-3 && together < 16) together *= 2;
        return found;
    };
    WarmUp{.steady_seconds = 0.1}.run(rate, host_seconds);
}

inline std::string why_no_pair(const Parameters& set, int count) {
    if (count < 2) return "2 GPUs are needed; there is " + std::to_string(count);
    for (const char* name : {"from", "to"})
        if (set.contains(name))
            if (auto why = why_not_between(set, name, 0, count - 1); !why.empty()) return why;
    const bool both = set.contains("from") && set.contains("to");
    return both && whole(set, "from") == whole(set, "to") ? "a GPU is no peer of itself" : "";
}

inline int gpu_of(const Parameters& set, const char* which) { return static_cast<int>(whole(set, which)); }

// Both ways at once, a pair is one row.
inline std::string why_not_both_ways(const Parameters& set) {
    return text(set, "ways") == "both" && whole(set, "from") > whole(set, "to")
               ? "both ways at once, a pair is measured once: with the lower number as `from`"
               : "";
}

// In both directions, because either GPU may access the other.
inline bool have_access(int one, int other) {
    const bool there = enabled_peer_access(one, other);
    return enabled_peer_access(other, one) && there;
}

// Whether there can be access in both directions; changes nothing.
inline bool can_access(int one, int other) { return can_access_peer(one, other) && can_access_peer(other, one); }

// The same, or none in either direction, which copies by the runtime do not need.
inline bool set_access(int one, int other, bool on) {
    if (on) return have_access(one, other);
    switch_off_peer_access(one, other);
    switch_off_peer_access(other, one);
    return false;
}

inline constexpr const char* through_the_host = "no peer access between two of these GPUs: copies go through the host";

// `needed` is by GPU. Simulated GPUs keep their memory in the host's.
inline std::string why_no_room(const std::map<int, std::size_t>& needed) {
    std::size_t all = 0;
    for (const auto& [gpu, bytes] : needed) {
        all += bytes;
        const OnDevice current(gpu);
        if (auto why = why_no_room(bytes, free_device_bytes(), "of the memory of GPU " + std::to_string(gpu));
            !why.empty())
            return why;
    }
    return why_not_simulated(all, free_host_bytes());
}

// An operation has several copies in a row, and more of small ones, because starting and joining streams of several
// GPUs takes microseconds: of 64 MiB together, but four at least and 64 at most.
constexpr std::int64_t copies_in_a_row(std::size_t bytes) {
    return std::clamp<std::int64_t>((std::int64_t{64} << 20) / static_cast<std::int64_t>(bytes), 4, 64);
}
inline std::string several_copies(std::int64_t copies) {
    return "the time is of " + std::to_string(copies) + " copies in a row";
}

// Copies that begin together, each in a stream of the GPU that runs it. Made while the first GPU is the current one.
class Flows {
public:
    explicit Flows(std::int64_t copies) : in_a_row(copies) {}

    // `copy` queues one copy, which is so many operations of the runtime in this stream.
    void add(int gpu, std::function<void(const Stream&)> copy, std::int64_t operations_each = 1) {
        const OnDevice current(gpu);
        flows.push_back({gpu, std::make_unique<Runner>(), std::move(copy)});
        most_operations = std::max(most_operations, operations_each);
    }

    // All begin after what `main`, a stream of the first GPU, holds, and `main` goes on when all have ended.
    void queue(const Stream& main) const { queue(main, in_a_row); }

    void run_once() const {
        const OnDevice current(first_gpu);
        queue(alone, 1);
        alone.synchronize();
    }

    // What one call of `queue` adds to the stream that gets most: `main`, or that of a flow.
    std::int64_t operations() const {
        return std::max(1 + static_cast<std::int64_t>(flows.size()), most_operations * in_a_row + 2);
    }

private:
    struct Runner {
        Stream stream{};
        Event ended{cudaEventDisableTiming};
    };
    struct Flow {
        int gpu;
        std::unique_ptr<Runner> runner;
        std::function<void(const Stream&)> copy;
    };
    void queue(const Stream& main, std::int64_t copies) const {
        started.record(main);
        for (const auto& flow : flows) {
            const OnDevice current(flow.gpu);
            const auto& [stream, ended] = *flow.runner;
            stream.wait_for(started);
            for (std::int64_t i = 0; i < copies; ++i) flow.copy(stream);
            ended.record(stream);
            main.wait_for(ended);
        }
    }

    std::int64_t in_a_row;
    std::vector<Flow> flows{};
    std::int64_t most_operations = 1;
    Stream alone{};
    Event started{cudaEventDisableTiming};
};

// Says which share of what these GPUs send NVLink counts, in copies before any is timed. Empty if NVML does not count.
inline std::string counted_by_nvlink(const std::set<int>& senders, std::int64_t bytes_at_once, const Flows& flows) {
    std::vector<Gauge> gauges;
    for (const int gpu : senders) {
        const OnDevice current(gpu);
        gauges.emplace_back(uuid_of_current_device(), bus_id_of_current_device());
    }
    const auto read = [&] {
        std::vector<NvLinkSent> all;
        for (const auto& gauge : gauges)
            if (auto sent = gauge.nvlink_sent()) all.push_back(std::move(*sent));
        return all;
    };
    const auto before = read();
    if (before.empty() || before.size() != gauges.size()) return "";
    const auto times = std::clamp<std::int64_t>(16 * mib / std::max<std::int64_t>(1, bytes_at_once), 1, 16);
    for (std::int64_t i = 0; i < times; ++i) flows.run_once();
    const auto after = read();
    return after.size() == before.size() ? nvlink_words(before, after, times * bytes_at_once) : "";
}

// Describes the GPUs of a set, which `queue` or `call` uses: who they are, and how to warm them up with their own work,
// because the instruments look after the first GPU alone.
inline void describe_gpus(Trial& trial, const Parameters& set, bool first_takes_part) {
    const auto uuid_of = [&](const char* name) -> std::string {
        if (!set.contains(name)) return "";
        const OnDevice current(gpu_of(set, name));
        return uuid_of_current_device();
    };
    trial.from = uuid_of("from");
    trial.to = uuid_of("to");
    trial.elsewhere = !first_takes_part;
    const auto* called = std::get_if<Called>(&trial.timing);
    trial.warm = [queue = trial.queued().operation, prepare = trial.prepare, called = called ? *called : Called{}] {
        if (queue) return run_until_steady(queue);
        run_until_steady([&](const Stream&) {
            prepare();
            called.operation();
        });
    };
}

}  // namespace tocuda
