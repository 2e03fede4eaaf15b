// tocuda, Apache-2.0.
// Measures sets with fake instruments and benches, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measurement/fake_instruments_test.hpp"
#include "measurement/measure_sets.hpp"

namespace tocuda {

using Change = std::function<void(const Parameters&, Trial&)>;

class ChangedBench final : public FakeBench {
public:
    ChangedBench(Clock reading, Change change_of_set) : FakeBench(reading), by_set(std::move(change_of_set)) {}
    Trial trial(const Parameters& set) override {
        auto made = FakeBench::trial(set);
        if (by_set) by_set(set, made);
        return made;
    }

private:
    Change by_set;
};

struct Measured {
    SetsEnded ended = SetsEnded::whole;
    std::vector<Samples> samples{};
};

struct FakeSetting {
    Clock clock = Clock::device;
    std::map<std::string, Values> parameters{};
    std::string alternates{};
    std::map<std::string, Allowed> allowed{};
    Protocol protocol{.launches_min = 3, .launches_max = 3, .launch_budget_s = 0};
    Change change{};
    FakeInstruments instruments{};
    std::vector<Parameters> set_up_with{};
};

inline Measured measure(const std::vector<Parameters>& sets, FakeSetting& setting) {
    const Measurable measurable{{.name = "copy/somehow",
                                 .summary = "",
                                 .clock = setting.clock,
                                 .parameters = setting.parameters,
                                 .allowed = setting.allowed,
                                 .alternates = setting.alternates},
                                [&](const std::vector<Parameters>& all) {
                                    setting.set_up_with = all;
                                    return std::make_unique<ChangedBench>(setting.clock, setting.change);
                                }};
    Measured measured;
    measured.ended = measure_sets(measurable, sets, setting.protocol, setting.instruments,
                                  [&](const Samples& samples) { measured.samples.push_back(samples); });
    return measured;
}

inline Parameters of(int bytes) { return {{"bytes", bytes}}; }

}  // namespace tocuda
