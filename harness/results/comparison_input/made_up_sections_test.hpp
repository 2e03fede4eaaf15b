// tocuda, Apache-2.0.
// Sections for tests: one run of one session each, with one time per process.
#pragma once

#include <string>
#include <vector>

#include "comparison_input/gathering.hpp"

namespace tocuda::made_up {

inline std::string two_digits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

inline RunLine run_of(int number, const std::string& driver = "570.86.15") {
    const auto digits = two_digits(number);
    RunLine run{.run = "run-" + digits,
                .time = "2026-11-" + digits + "T10:00:00Z",
                .verb = "bench",
                .device = Device::real,
                .session = "session-" + digits,
                .boot = "boot-" + digits};
    run.driver = {driver, "12.8", "open"};
    run.suite.version = "0.1.0";
    run.gpus = {Gpu{.index = 0, .uuid = "GPU-a", .name = "NVIDIA H200", .power_limit_w = 700.0}};
    run.protocol = Protocol{};
    return run;
}

inline MeasurementRow row_of(const std::string& benchmark, double seconds, int process = 0) {
    return {.benchmark = benchmark,
            .id = "id of " + benchmark,
            .device = Device::real,
            .process = process,
            .samples = {.parameters = {{"bytes", 4096}},
                        .check = "sum",
                        .clock = Clock::device,
                        .seconds = {seconds},
                        .gpu = "GPU-a"}};
}

inline void add_run(Gathering& gathering, const RunLine& run, const std::vector<MeasurementRow>& rows) {
    gathering.begin(run);
    for (const auto& row : rows) gathering.add(row);
    gathering.end("digest of " + run.run, true);
}

inline std::vector<MeasurementRow> rows_of(const std::string& benchmark, const std::vector<double>& seconds) {
    std::vector<MeasurementRow> rows;
    for (const double one : seconds) rows.push_back(row_of(benchmark, one, static_cast<int>(rows.size())));
    return rows;
}

}  // namespace tocuda::made_up
