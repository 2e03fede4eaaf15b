// tocuda, Apache-2.0.
// The estimated time of a process: what it assumes, and how processes that ended correct it.
#include "execution/bench_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tocuda {
namespace {

class Costs : public testing::Test {
protected:
    Costs() : worker{"tocuda-cuda", "/x", "", {}} {
        for (const auto* name : {"framework/to", "memory/read"})
            sweeps.push_back(
                {&worker,
                 {.name = name, .summary = "is made up", .needs = {.gpus = 1}, .cost = {.bytes = Handling::on_gpu}},
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
    const auto seconds = [&](bool all, std::int64_t bytes, std::size_t gpus) {
        sweep.benchmark.cost.all_gpus = all;
        return known_seconds(sweep, {{{"bytes", bytes}}}, protocol_called("default"), true, gpus);
    };
    constexpr auto large = std::int64_t{64} << 20;
    EXPECT_GT(seconds(true, large, 8), 2 * seconds(true, large, 2));
    EXPECT_EQ(seconds(false, large, 8), seconds(false, large, 2));
}

TEST_F(Costs, WhoHandlesTheBytesDecidesHowLongTheyTake) {
    auto sweep = sweeps[0];
    const auto seconds = [&](Handling handling) {
        sweep.benchmark.cost.bytes = handling;
        return known_seconds(sweep, {{{"bytes", std::int64_t{4} << 30}}}, protocol_called("default"));
    };
    EXPECT_LT(seconds(Handling::few), seconds(Handling::on_gpu));
    EXPECT_LT(seconds(Handling::on_gpu), seconds(Handling::to_gpu));
    EXPECT_LT(seconds(Handling::to_gpu), seconds(Handling::by_host));
    EXPECT_LT(seconds(Handling::by_host), seconds(Handling::in_file));
}

TEST_F(Costs, ProgramsOfAnOperationAreStartedForEachLaunchAndCheck) {
    auto sweep = sweeps[0];
    const auto before = known_seconds(sweep, {{}, {}}, protocol_called("default"));
    sweep.benchmark.cost.programs = 1;
    const auto launches = protocol_called("default").launches_min + 2;
    EXPECT_GT(known_seconds(sweep, {{}, {}}, protocol_called("default")), before + 2 * 0.5 * launches);
}

// A context on each takes time, and a library that connects them much more.
TEST_F(Costs, AProcessTakesLongerToStartOnMoreGpus) {
    auto sweep = sweeps[0];
    sweep.benchmark.needs.gpus = 2;
    const auto seconds = [&](std::size_t gpus) {
        return known_seconds(sweep, {{{"bytes", 4}}}, protocol_called("default"), false, gpus);
    };
    EXPECT_EQ(seconds(8), seconds(2)) << "two of eight are used";
    sweep.benchmark.cost.all_gpus = true;
    EXPECT_GT(seconds(8), seconds(2) + 6 * 0.2) << "contexts";
    sweep.benchmark.cost.seconds_of_each_gpu = 2;
    EXPECT_GT(seconds(8), 16) << "NCCL needs 10 to 20 s to connect eight GPUs";
    EXPECT_LT(seconds(2), 8);
}

TEST_F(Costs, GpusThatTheSetsNameAreUsed) {
    auto sweep = sweeps[0];
    sweep.benchmark.needs.gpus = 2;
    const auto seconds = [&](std::int64_t last) {
        std::vector<Parameters> sets;
        for (std::int64_t to = 1; to <= 7; ++to) sets.push_back({{"from", 0}, {"to", std::min(to, last)}});
        return known_seconds(sweep, sets, protocol_called("default"), false, 8);
    };
    EXPECT_GT(seconds(7), seconds(1) + 6 * 0.2);
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
