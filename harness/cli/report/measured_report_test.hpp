// tocuda, Apache-2.0.
// Reports of made-up rows, for tests.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/report.hpp"
#include "summary/row_summary.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {

inline constexpr auto run_id = "11111111-2222-4333-8444-555555555555";
inline constexpr auto gpu_id = "GPU-70c0da00-0000-4000-8000-00000000abcd";

inline RunLine run_line() {
    RunLine run{.run = run_id,
                .time = "2026-11-21T10:00:00Z",
                .verb = "bench",
                .device = Device::real,
                .session = "aaaaaaaa-2222-4333-8444-555555555555",
                .boot = "bbbbbbbb-2222-4333-8444-555555555555",
                .suite = {"0.1.0", std::string(40, 'c'), false},
                .command = {"/opt/secret/tocuda", "bench"}};
    run.machine = {"node17", "Debian GNU/Linux 12", "6.1", "a CPU", 2};
    run.driver = {"580.95.05", "13.0", "open"};
    run.gpus = {Gpu{.index = 0, .uuid = gpu_id, .name = "NVIDIA H200", .memory_bytes = 150109945856}};
    return run;
}

// Six processes with slightly different times.
inline std::vector<MeasurementRow> processes_of(const std::string& benchmark, const Parameters& parameters,
                                                std::int64_t bytes, double seconds) {
    std::vector<MeasurementRow> rows;
    for (int process = 0; process < 6; ++process) {
        MeasurementRow row{.benchmark = benchmark, .id = benchmark, .device = Device::real, .process = process};
        for (const auto& [name, value] : parameters) row.id += "," + name + named_value(name, value);
        const double time = seconds * (1 + 0.001 * process);
        row.samples = {.parameters = parameters,
                       .bytes_one_way = bytes,
                       .bytes_touched = 2 * bytes,
                       .seconds = {time, time, time},
                       .gpu = gpu_id,
                       .peak = {.bytes_per_second = 63e9, .source = "PCIe 5.0 x16", .counted = Counted::one_way}};
        rows.push_back(row);
    }
    return rows;
}

// Copies between three GPUs: one way is slow, another one wrong.
inline std::vector<MeasurementRow> processes_of_pairs() {
    std::vector<MeasurementRow> rows;
    for (const auto& [from, to, seconds] : {std::tuple(0, 1, 1e-3), {1, 0, 4e-3}, {0, 2, 1e-3}, {1, 2, 1e-3}})
        for (auto& row : processes_of("pairs/copy", {{"bytes", 1 << 26}, {"from", from}, {"to", to}, {"by", "push"}},
                                      1 << 26, seconds)) {
            if (to == 2 && from == 1) row.samples.status = Status::wrong;
            rows.push_back(std::move(row));
        }
    return rows;
}

inline Report measured(const std::vector<MeasurementRow>& rows) {
    const auto run = run_line();
    return {
        .runs = {
            {run, {"/home/someone/results/file.jsonl"}, "complete", measured_run(summaries(rows, run.gpus)), {}, {}}}};
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
    return count;
}

}  // namespace tocuda::page
