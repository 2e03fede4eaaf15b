// tocuda, Apache-2.0.
// The estimated time of a process: what it assumes, and how processes that ended correct it.
#include "execution/bench_costs.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

class Costs : public testing::Test {
protected:
    Costs() : worker{"tocuda-cuda", "/x", "", {}} {
        for (const auto* name : {"framework/to", "memory/read"})
            sweeps.push_back({&worker,
                              {.name = name, .summary = "is made up", .needs = {.gpus = 1}},
                              {{{"bytes", 4}}, {{"bytes", 4096}}}});
    }

    Worker worker;
    std::vector<Sweep> sweeps;
};

TEST_F(Costs, EachSetThatUsesSeveralGpusWarmsThemUp) {
    const auto seconds = [](const Sweep& sweep) {
        return known_seconds(sweep, sweep.sets, protocol_called("default"), false);
    };
    auto several = sweeps[0];
    several.benchmark.needs.gpus = 2;
    EXPECT_GT(seconds(several), seconds(sweeps[0]) + 0.1 * static_cast<double>(several.sets.size()));
}

TEST_F(Costs, SimulatedGpusStartSoonerButTheCpuChecksTheirBytes) {
    auto sweep = sweeps[0];
    sweep.benchmark.needs.gpus = 1;
    const auto protocol = protocol_called("default");
    const auto seconds = [&](std::int64_t bytes, bool simulated) {
        return known_seconds(sweep, {{{"bytes", bytes}}}, protocol, simulated);
    };
    EXPECT_LT(seconds(4, true), seconds(4, false) / 4);
    EXPECT_GT(seconds(std::int64_t{1} << 30, true), seconds(std::int64_t{1} << 30, false));
    sweep.benchmark.needs.gpus = 0;
    EXPECT_EQ(seconds(4, true), seconds(4, false)) << "the host is not simulated";
}

TEST_F(Costs, CollectivesOfSimulatedGpusTakeLongerAmongMoreGpus) {
    auto sweep = sweeps[0];
    sweep.benchmark.needs.gpus = 2;
    const auto seconds = [&](const std::string& name, std::int64_t bytes, std::size_t gpus) {
        sweep.benchmark.name = name;
        return known_seconds(sweep, {{{"bytes", bytes}}}, protocol_called("default"), true, gpus);
    };
    constexpr auto large = std::int64_t{64} << 20;
    EXPECT_GT(seconds("busy/all_reduce", large, 8), 2 * seconds("busy/all_reduce", large, 2));
    EXPECT_EQ(seconds("pairs/read", large, 8), seconds("pairs/read", large, 2));
}

TEST_F(Costs, MeasuredSecondsCorrectEstimates) {
    BenchCosts costs(protocol_called("default"));
    const auto known = costs.seconds(0, sweeps[0], sweeps[0].sets);
    costs.took(1, sweeps[1], sweeps[1].sets, 2 * known_seconds(sweeps[1], sweeps[1].sets, protocol_called("default")));
    EXPECT_NEAR(costs.seconds(0, sweeps[0], sweeps[0].sets) / known, 2, 1e-9)
        << "from another benchmark of the same worker";
    costs.took(0, sweeps[0], sweeps[0].sets, 3 * known);
    EXPECT_NEAR(costs.seconds(0, sweeps[0], sweeps[0].sets) / known, 3, 1e-9) << "from its own last process";
    Worker torch{"tocuda-torch", "/y", "", {{"libtorch", "2.15.0"}}};
    const Sweep framework{&torch, sweeps[0].benchmark, sweeps[0].sets};
    EXPECT_GT(costs.seconds(5, framework, framework.sets), known + 2)
        << "LibTorch has not been measured yet: it is assumed to take seconds to load";
}

}  // namespace
}  // namespace tocuda
