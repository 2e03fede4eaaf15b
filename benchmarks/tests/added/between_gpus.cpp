// tocuda, Apache-2.0.
// A copy between two GPUs that is added by this file alone: see added_test.py.
#include <memory>

#include "benchmarks/pairs/pairs.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::added::between_gpus {
namespace {

class Across final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override { return why_no_pair(set, count_of_gpus()); }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto from = static_cast<int>(whole(set, "from")), to = static_cast<int>(whole(set, "to"));
        const auto source = held_by(from, bytes), target = held_by(to, bytes);
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .compared = "nothing",
                    .differs = [] { return std::string(); },
                    .timing = Queued{.operation = [=](const Stream& stream) {
                        require("cudaMemcpyPeerAsync",
                                cudaMemcpyPeerAsync(target->get(), to, source->get(), from, bytes, stream.get()));
                    }}};
        describe_gpus(trial, set, from == first_gpu || to == first_gpu);
        return trial;
    }

private:
    static std::shared_ptr<DeviceMemory> held_by(int gpu, std::size_t bytes) {
        const OnDevice current(gpu);
        return std::make_shared<DeviceMemory>(bytes);
    }
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "added/between_gpus",
                  .summary = "copy from one GPU to another",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {65536}}, {"from", {0, 1}}, {"to", {0, 1}}},
                  .allowed = {{"from", allowed_gpus}, {"to", allowed_gpus}},
                  .needs = {.gpus = 2},
                  .cost = {.bytes = Handling::few},
                  .role = {.sheet = {{.order = 31, .section = "added", .words = "to the other GPU"},
                                     {.order = 32, .section = "added", .words = "from GPU 0", .having = "from=0 to=1"},
                                     {.order = 33, .section = "added", .words = "from GPU 1", .having = "from=1 to=0"}},
                           .characterise = {""}}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Across>(); },
}};

}  // namespace
}  // namespace tocuda::added::between_gpus
