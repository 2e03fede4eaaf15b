// tocuda, Apache-2.0.
// Builds result files for tests, as tocuda would write them: a test changes the parts, and the checksums match the
// changed text.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "json_lines/lines.hpp"
#include "record/digest.hpp"

namespace tocuda::made_up {

struct Part {
    RunLine run{};
    std::vector<MeasurementRow> measurements{};
    std::vector<Row> scenarios{};
    int rows_more = 0;  // added to the end line's count
    std::string status = "complete";
};

inline RunLine run(const std::string& id = "11111111-2222-4333-8444-555555555555",
                   const std::string& time = "2026-11-21T10:00:00Z") {
    RunLine line{.run = id,
                 .time = time,
                 .verb = "bench",
                 .device = Device::real,
                 .session = "aaaaaaaa-2222-4333-8444-555555555555",
                 .boot = "b1",
                 .driver_loaded = "2026-11-20T08:00:00Z",
                 .suite = {"0.1.0", std::string(40, 'c'), false}};
    line.driver = {"580.95.05", "13.0", "open"};
    line.gpus = {Gpu{.index = 0,
                     .uuid = "GPU-1",
                     .name = "NVIDIA H200",
                     .memory_bytes = 150109945856,
                     .power_limit_w = 700,
                     .pcie = {5, 16, 5, 16}}};
    line.protocol = Protocol{};
    return line;
}

inline MeasurementRow measurement(int process, int round, std::int64_t bytes = 1 << 26) {
    MeasurementRow row{
        .benchmark = "copy/host_to_device/pinned",
        .id = "",
        .device = Device::real,
        .round = round,
        .process = process,
        .samples = {
            .parameters = {{"bytes", bytes}},
            .check = "every byte",
            .batch = 2,
            .bytes_one_way = bytes,
            .bytes_touched = 2 * bytes,
            .seconds = {1.20e-3, 1.21e-3, 1.20e-3},
            .gpu = "GPU-1",
            .peak = {63015385600.0, "PCIe 5.0 x16", Counted::one_way},
            .before = Telemetry{
                .sm_clock_mhz = 1980, .temperature_c = 41, .power_w = 120, .link_generation = 5, .link_width = 16}}};
    row.samples.after = row.samples.before;
    row.id = row_id(row.benchmark, row.samples.parameters, Protocol{}.version);
    return row;
}

inline Row scenario() {
    return {"dtype/double_move",
            "default",
            {.device = Device::real, .outcome = {"exit", 0, 0.5}, .observations = {{"moved.threw", false}}},
            {{"000-04", Verdict::refuted, Verdict::refuted, "it did not throw"}}};
}

// Two sections; the second resumes the first.
inline std::vector<Part> parts() {
    auto second = run("22222222-2222-4333-8444-555555555555", "2026-11-21T10:30:00Z");
    second.resumes = run().run;
    return {{.run = run(),
             .measurements = {measurement(0, 1), measurement(1, 1, 1 << 20), measurement(2, 2)},
             .scenarios = {scenario()}},
            {.run = second, .measurements = {measurement(3, 2), measurement(4, 3)}}};
}

inline std::string text(const Part& part) {
    std::string body = to_line(part.run) + "\n";
    for (const auto& row : part.measurements) body += to_line(row) + "\n";
    for (const auto& row : part.scenarios) body += to_line(row) + "\n";
    Digest digest;
    digest.add(body);
    const auto rows = static_cast<int>(part.measurements.size() + part.scenarios.size()) + part.rows_more;
    return body + to_line(EndLine{part.status, rows, digest.hex()}) + "\n";
}

inline std::string text(const std::vector<Part>& parts) {
    std::string all;
    for (const auto& part : parts) all += text(part);
    return all;
}

// Later than both sections.
inline constexpr std::chrono::sys_seconds now = std::chrono::sys_days(std::chrono::year{2026} / 11 / 22);

inline constexpr auto file_name = "20261121T100000Z-bench-real-11111111.jsonl";

}  // namespace tocuda::made_up
