// tocuda, Apache-2.0.
// Copies from the memory of one GPU to that of another: by the copy engine, by a kernel that stores to the other GPU
// (push) or by one that loads from it (pull).
#include <cuda_runtime_api.h>

#include <algorithm>
#include <optional>

#include "benchmarks/pairs/peer_kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/peer_access.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda::benchmarks::peer_copy {
namespace {

constexpr int here = first_gpu;
constexpr int there = second_gpu;

std::size_t needed(std::size_t bytes) {
    return allocated_bytes({Guarded::allocated(bytes), Guarded::allocated(bytes)});
}

// The source and target on one GPU, and a stream to check them.
struct Side {
    explicit Side(int gpu, std::size_t bytes) : device(gpu), source(bytes), target(bytes) {
        write_payload(stream, {source.at(), bytes});
    }
    int device;
    Stream stream{};
    Guarded source;
    Guarded target;
};

class Peers final : public Bench {
public:
    explicit Peers(const std::vector<Parameters>& sets) : count(count_of_gpus()), free(free_device_bytes()) {
        if (count < 2) return;
        gpu = gpu_facts();
        peers = enabled_peer_access();
        {
            const OnDevice other(there);
            free = std::min(free, free_device_bytes());
            peer = uuid_of_current_device();
        }
        const auto most = largest_that_fits(sets, [&](const Parameters& set) { return needed(bytes_of(set)) <= free; });
        near.emplace(here, most);
        const OnDevice other(there);
        far.emplace(there, most);
    }
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;
    ~Peers() override {
        if (count < 2) return;
        const OnDevice other(there);
        far.reset();
    }

    std::string why_skipped(const Parameters& set) const override {
        if (count < 2) return "2 GPUs are needed; there is " + std::to_string(count);
        if (!peers && text(set, "by") != "engine") return why_no_peer_access;
        return why_no_room(needed(bytes_of(set)), free, "of the memory of each of two GPUs");
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const bool pull = text(set, "by") == "pull";
        const auto& from = pull ? *far : *near;
        const auto& to = pull ? *near : *far;
        const auto queue =
            text(set, "by") == "engine" ? by_engine(bytes) : peer_kernel(gpu, to.target.at(), from.source.at(), bytes);
        return {.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .compared = Guarded::compared(),
                .differs = [this, &to, bytes, queue] { return what_differs(to, bytes, queue); },
                .timing = Queued{.operation = queue, .commands = peers ? 1 : operations_through_the_host},
                .peer = peer};
    }

private:
    std::function<void(const Stream&)> by_engine(std::size_t bytes) const {
        return [bytes, to = far->target.at(), from = near->source.at()](const Stream& on) {
            require("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync(to, there, from, here, bytes, on.get()));
        };
    }

    // The GPU that owns the target checks it; the copy runs on the first GPU's stream.
    std::string what_differs(const Side& to, std::size_t bytes, const std::function<void(const Stream&)>& queue) const {
        const OnDevice holder(to.device);
        return to.target.what_differs(to.stream, bytes, [&] {
            const OnDevice copier(here);
            queue(near->stream);
            near->stream.synchronize();
        });
    }

    int count;
    std::size_t free;
    bool peers = false;
    GpuFacts gpu{};
    std::string peer{};
    std::optional<Side> near{};
    std::optional<Side> far{};
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "copy/device_to_device/peer",
         .summary =
             "copy from one GPU to another: by the copy engine, by a kernel that stores to the other or loads from it",
         .clock = Clock::device,
         .parameters = {{"bytes", {std::int64_t{1} << 30}}, {"by", {"engine", "push", "pull"}}},
         .quick = {{"bytes", {}}},
         .full = {{"bytes", powers_of_four(std::int64_t{4} << 30)}},
         .needs = {.gpus = 2},
         .group = {"pairs"},
         .cost = {.bytes = Handling::on_gpu},
         .role = {.pictures = {"mechanisms-at-one-size"}, .heading = "to another GPU", .alone = true}},
    .set_up = [](const std::vector<Parameters>& sets) -> std::unique_ptr<Bench> {
        return std::make_unique<Peers>(sets);
    },
}};

}  // namespace
}  // namespace tocuda::benchmarks::peer_copy
