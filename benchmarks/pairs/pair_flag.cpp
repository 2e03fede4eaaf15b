// tocuda, Apache-2.0.
// How long a flag is under way between two GPUs, which pass it to and fro.
#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/latency/flag_game.hpp"
#include "benchmarks/pairs/pairs.hpp"
#include "kernels/chase.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::pair_flag {
namespace {

// A line for a flag, all zero, in the memory of this GPU or, if there is none, of the host.
struct Line {
    std::byte* at = nullptr;
    std::shared_ptr<void> owner{};
};

Line zeroed(Line line) {
    require("cudaMemset", cudaMemset(line.at, 0, line_bytes));
    require("cudaDeviceSynchronize", cudaDeviceSynchronize());
    return line;
}
Line line_of_host() {
    const auto pinned =
        std::make_shared<HostMemory>(pinned_memory(line_bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    return zeroed({as_the_gpu_sees(pinned->get()), pinned});
}
Line line_of(int gpu) {
    const OnDevice current(gpu);
    const auto memory = std::make_shared<DeviceMemory>(line_bytes);
    return zeroed({memory->get(), memory});
}

// What the second GPU needs to play its side.
struct Second {
    explicit Second(int number) : gpu(number) {}

    int gpu;
    Stream stream{};
    Event ended{cudaEventDisableTiming};
};

// Made while the first GPU is current.
class BetweenGpus final : public FlagGame {
public:
    BetweenGpus(int first, int other, const std::string& flags)
        : of_first(line_for(first, other, flags)), of_second(line_for(other, first, flags)), second(second_on(other)) {
        const auto& [beyond_first, beyond_second] =
            flags == "setting" ? std::tie(of_first, of_second) : std::tie(of_second, of_first);
        between_sides({.awaited = flag_at(of_first.at), .sent = flag_at(of_second.at), .beyond = beyond_first.at},
                      {.awaited = flag_at(of_second.at), .sent = flag_at(of_first.at), .beyond = beyond_second.at});
    }

private:
    // The flag that GPU `awaited_by` looks at.
    static Line line_for(int awaited_by, int set_by, const std::string& flags) {
        if (flags == "host") return line_of_host();
        return line_of(flags == "awaiting" ? awaited_by : set_by);
    }
    static std::unique_ptr<Second> second_on(int gpu) {
        const OnDevice current(gpu);
        return std::make_unique<Second>(gpu);
    }

    // Both begin after what `first` holds.
    void queue(const Stream& first, const FlagExchange& both) override {
        began.record(first);
        {
            const OnDevice current(second->gpu);
            second->stream.wait_for(began);
            launch_second(second->stream, both);
            second->ended.record(second->stream);
        }
        launch_first(first, both);
        first.wait_for(second->ended);
    }

    Line of_first;
    Line of_second;
    std::unique_ptr<Second> second;
    Event began{cudaEventDisableTiming};
};

std::shared_ptr<FlagGame> game_of(int first, int second, const std::string& flags) {
    const OnDevice current(first);
    return std::make_shared<BetweenGpus>(first, second, flags);
}

class PairFlag final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        if (whole(set, "from") > whole(set, "to")) return "a pair is measured once: with the lower number as `from`";
        if (text(set, "flags") != "host" && !have_access(gpu_of(set, "from"), gpu_of(set, "to")))
            return why_no_peer_access;
        return why_no_kernels_at_once();
    }

    Trial trial(const Parameters& set) override {
        const int from = gpu_of(set, "from");
        const int to = gpu_of(set, "to");
        const auto game = game_of(from, to, text(set, "flags"));
        auto trial = trial_of(game);
        describe_gpus(trial, set, from == first_gpu || to == first_gpu);
        trial.warm = [game] { run_until_steady([&](const Stream&) { game->seconds(); }); };
        return trial;
    }

private:
    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/flag",
                  .summary = "time until a flag that one GPU sets is seen by another, each pair",
                  .how = "a thread of GPU `from`, which begins, and one of GPU `to` " + how_flags_are_passed() +
                         ". With flags=awaiting each flag is in the memory of the GPU that awaits it, so that what is "
                         "set crosses the link; with flags=setting in that of the GPU that sets it, so that each look "
                         "does; with flags=host both are in page-locked host memory",
                  .clock = Clock::device,
                  .parameters = {{"flags", {"awaiting"}}, {"from", {}}, {"to", {}}},
                  .full = {{"flags", {"awaiting", "setting", "host"}}, {"from", gpu_numbers()}, {"to", gpu_numbers()}},
                  .allowed = {{"from", allowed_gpus}, {"to", allowed_gpus}},
                  .needs = {.gpus = 2},
                  .cost = {.bytes = Handling::few},
                  .role = {.pictures = {"pairs-of-gpus"}}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<PairFlag>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::pair_flag
