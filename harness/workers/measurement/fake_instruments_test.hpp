// tocuda, Apache-2.0.
// Fake instruments and a fake bench for tests: the test controls the time, and every call is logged.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "measurement/instruments.hpp"
#include "measurement/parameter.hpp"

namespace tocuda {

struct FakeInstruments : Instruments {
    std::string gpu() override { return "GPU-1"; }
    double now() override { return seconds; }
    Flags settle() override {
        log.push_back("settle");
        if (settling) settling();
        return flags;
    }
    void rehearse(const Trial& trial) override { log.push_back("rehearse " + std::to_string(trial.bytes_one_way)); }
    // Each byte of an operation takes a microsecond.
    Batch batch(const Trial& trial, std::int64_t count) override {
        log.push_back("batch " + std::to_string(count) + " of " + std::to_string(trial.bytes_one_way));
        if (batching) batching(trial);
        if (const auto commands = count * trial.queued().commands; commands > takes_at_a_time) {
            depth = commands / 2;
            return {.too_deep = true};
        }
        const auto taken = 1e-6 * static_cast<double>(trial.bytes_one_way * count);
        seconds += taken;
        return {.seconds = taken, .beside = beside_part * static_cast<double>(count)};
    }
    std::vector<double> each_gpu(const Trial&, std::int64_t count) override {
        log.push_back("each GPU");
        auto each = seconds_of_ranks;
        for (auto& one : each) one *= static_cast<double>(count);
        return each;
    }
    std::int64_t queue_depth() override { return depth; }
    void without_gate() override { log.push_back("without gate"); }
    Telemetry telemetry() override { return {.sm_clock_mhz = 1980}; }
    double reading_seconds() override { return seconds_of_reading; }
    // The GPU must be busy for longer than that; then it takes as long as it really does.
    std::optional<Telemetry> telemetry_during(const Trial& trial, std::int64_t count) override {
        log.push_back("read beside " + std::to_string(count));
        seconds_of_reading = std::max(seconds_of_reading, reading_takes);
        if (1e-6 * static_cast<double>(trial.bytes_one_way * count) <= reading_takes) return std::nullopt;
        return Telemetry{.link_width = 16};
    }
    void sustain(const Trial& trial, double one, Samples& samples) override {
        log.push_back("sustain " + std::to_string(trial.bytes_one_way));
        for (double passed = 0; passed < trial.queued().seconds; passed += 1) {
            samples.seconds.push_back(one);
            samples.course.push_back({.sm_clock_mhz = 1980});
        }
    }
    void move_bytes(bool on) override { log.push_back(on ? "bytes move" : "time alone"); }
    bool lost() override { return is_lost; }
    void leave() override { log.push_back("leave"); }

    double seconds = 0;
    std::int64_t takes_at_a_time = queued_most;
    std::int64_t depth = queued_most;
    double seconds_of_reading = 1e-4;
    double reading_takes = 1e-4;
    std::vector<double> seconds_of_ranks{};  // of one operation
    double beside_part = 1;                  // operations in the other direction per timed operation
    bool is_lost = false;
    Flags flags{};
    std::vector<std::string> log{};
    std::function<void()> settling{};
    std::function<void(const Trial&)> batching{};
};

// By default its result is right and it takes a microsecond for each byte.
struct FakeBench : Bench {
    explicit FakeBench(Clock timed_by = Clock::device) : clock(timed_by) {}
    std::string why_skipped(const Parameters& set) const override {
        return bytes_of(set) == 404 ? "404 is too much" : "";
    }
    Trial trial(const Parameters& set) override {
        const auto bytes = whole(set, "bytes");
        Trial made{.bytes_one_way = bytes, .bytes_touched = 2 * bytes, .compared = "everything"};
        made.differs = [] { return ""; };
        made.timing = Queued{.operation = [](const Stream&) {}};
        if (clock == Clock::host)
            made.timing = SelfTimed{.seconds = [bytes] { return 1e-6 * static_cast<double>(bytes); }};
        if (change) change(made);
        return made;
    }

    Clock clock;
    std::function<void(Trial&)> change{};
};

}  // namespace tocuda
