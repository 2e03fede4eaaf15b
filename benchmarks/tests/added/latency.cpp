// tocuda, Apache-2.0.
// A latency that is added by this file alone: see added_test.py.
#include <memory>

#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::added::latency {
namespace {

class Waits final : public Bench {
public:
    std::string why_skipped(const Parameters&) const override { return ""; }
    Trial trial(const Parameters& set) override {
        return {.compared = "nothing",
                .differs = [] { return std::string(); },
                .timing = Called{[this, times = whole(set, "times")] {
                    for (std::int64_t i = 0; i < times; ++i) stream.synchronize();
                }}};
    }

private:
    Stream stream{};
};

const RegisteredBenchmark registered{{
    .benchmark =
        {.name = "added/latency",
         .summary = "wait for an idle stream, several times",
         .clock = Clock::host,
         .parameters = {{"times", {1, 2, 3}}},
         .needs = {.gpus = 1},
         .cost = {.bytes = Handling::few},
         .role =
             {.sheet = {{.order = 21, .section = "added", .words = "wait once", .having = "times=1", .time = true},
                        {.order = 22, .section = "added", .words = "wait twice", .having = "times=2", .time = true},
                        {.order = 23, .section = "added", .words = "wait thrice", .having = "times=3", .time = true}},
              .characterise = {"times=2"}}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Waits>(); },
}};

}  // namespace
}  // namespace tocuda::added::latency
