// tocuda, Apache-2.0.
// Rounds of made-up benchmarks on a simulated clock, without child processes, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "execution/bench_rounds.hpp"

namespace tocuda {

struct Ran {
    std::string benchmark;
    int round;
    double began;

    bool operator==(const Ran&) const = default;
};

class Budget : public testing::Test {
protected:
    Budget() : worker{"tocuda-cuda", "/x", "", {}} {
        const std::vector<std::pair<std::string, Group>> benchmarks{
            {"framework/to", {"framework", 2}}, {"memory/read", {"memory", 1}},
            {"memory/write", {"memory", 1}},    {"copy/device_to_device/best", {"copy", 0}},
            {"start/first", {"start", 3}},      {"fake/other", {}}};
        for (const auto& [name, group] : benchmarks)
            sweeps.push_back({&worker,
                              {.name = name,
                               .summary = "is made up",
                               .needs = {.gpus = 1},
                               .group = group,
                               .cost = {.bytes = Handling::on_gpu}},
                              {{{"bytes", 4}}, {{"bytes", 4096}}}});
    }

    BenchRounds rounds(double budget, std::uint64_t seed = 1, const std::string& protocol = "default") const {
        std::vector<BenchUnit> units;
        for (const auto& sweep : sweeps) units.push_back({.sweep = &sweep, .gpus = {0}});
        return {units, protocol_called(protocol), seed, {.seconds = budget}};
    }

    // Runs one process after another, as the engine does. Each takes `seconds` and is ended when the rounds say so.
    double go_through(BenchRounds& rounds, const std::function<double(const Assignment&)>& seconds, double clock = 0) {
        while (const auto next = rounds.take(clock)) {
            if (next->asks) {
                rounds.ended(*next, 0, {});
                continue;
            }
            const double takes = seconds(*next);
            const auto last = rounds.ends_at();
            ran.push_back({rounds.all()[next->unit].sweep->benchmark.name, next->round, clock});
            if (last && clock + takes > *last) {
                clock = std::max(clock, *last);
                rounds.cut(*next, next->sets);
                continue;
            }
            clock += takes;
            for (const auto& set : next->sets) {
                // Never settles, so that all of the time is used.
                rounds.hear(next->unit, next->round, {.parameters = set, .seconds = {1 + 0.1 * (next->round % 3)}});
            }
            rounds.ended(*next, takes, {});
        }
        return clock;
    }

    std::vector<std::string> begun() const {
        std::vector<std::string> names;
        for (const auto& one : ran)
            if (std::find(names.begin(), names.end(), one.benchmark) == names.end()) names.push_back(one.benchmark);
        return names;
    }
    int least_rounds_of(const std::string& benchmark) const {
        return static_cast<int>(std::count_if(
            ran.begin(), ran.end(), [&](const Ran& one) { return one.benchmark == benchmark && one.round <= 6; }));
    }

    Worker worker;
    std::vector<Sweep> sweeps;
    std::vector<Ran> ran;
};

}  // namespace tocuda
