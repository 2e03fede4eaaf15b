// tocuda, Apache-2.0.
// The data sheet of a page: its lines, shares of what is published, and when there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "model/plan.hpp"
#include "report/measured_report_test.hpp"

namespace tocuda::page {
namespace {

// Twelve lines of a data sheet.
Report characterised() {
    std::vector<MeasurementRow> rows;
    const auto add = [&](const std::string& name, const Parameters& parameters, std::int64_t bytes, double seconds) {
        for (auto& row : processes_of(name, parameters, bytes, seconds)) rows.push_back(std::move(row));
    };
    for (const std::int64_t bytes : {1 << 12, 1 << 30})
        add("copy/host_to_device/pinned", {{"bytes", bytes}}, bytes, 0.02);
    for (const auto* cache : {"cold", "resident"})
        add("memory/read", {{"bytes", 1 << 30}, {"cache", cache}}, 1 << 30, 0.0005);
    for (const auto* wait : {"spin", "blocking"})
        add("calls/synchronise", {{"stream", "one_kernel"}, {"wait", wait}}, 0, 1e-5);
    for (const auto* what : {"submit", "completion"}) add("calls/launch", {{"arguments", 16}, {"what", what}}, 0, 2e-6);
    add("calls/launch_rate", {{"blocks", 1}}, 0, 2e-6);
    add("latency/host", {{"bytes", 1 << 24}}, 0, 1e-6);
    for (const std::int64_t bytes : {1LL << 12, 1LL << 22, 1LL << 32})
        add("latency/device", {{"bytes", bytes}}, 0, 3e-7);
    auto report = measured(rows);
    GpuProfile profile{.figures = {"host_to_device_bytes_per_second"},
                       .sources = {{"a published sheet", {"host_to_device_bytes_per_second"}}}};
    profile.gpu.host_to_device_bytes_per_second = 63'000'000'000;
    report.published[*report.runs.back().about.gpus.front().name] = profile;
    return report;
}

std::string sheet_of(const Report& report) {
    const auto page = html_of(report);
    const auto begin = page.find("<h2 id=sheet>");
    return page.substr(begin, page.find("<h2 id=measurements>") - begin);
}

// The cells of the line that begins with these words.
std::string line_of(const std::string& sheet, const std::string& words) {
    const auto begin = sheet.find(words);
    return begin == std::string::npos ? "" : sheet.substr(begin, sheet.find('\n', begin) - begin);
}

TEST(DataSheet, HasSharesOfWhatIsPublished) {
    const auto page = html_of(characterised());
    const auto sheet = page.substr(page.find("<h2 id=sheet>"));
    EXPECT_NE(sheet.find("to the GPU, pinned"), std::string::npos);
    EXPECT_NE(sheet.find("85.0 %"), std::string::npos) << "1 GiB in 20.05 ms, of 63 GB/s";
    EXPECT_NE(sheet.find("a published sheet"), std::string::npos);
    EXPECT_EQ(count_of(sheet.substr(0, sheet.find("<h2 id=measurements>")), "latency/device"), 3U);
    EXPECT_EQ(count_of(sheet.substr(0, sheet.find("<h2 id=measurements>")), "cache=cold"), 0U);
}

TEST(DataSheet, ARowHasOneShareAndNamesThePeak) {
    const auto sheet = sheet_of(characterised());
    EXPECT_NE(line_of(sheet, "to the GPU, pinned").find("85.0 % of 63.00"), std::string::npos) << sheet;
    auto report = characterised();
    for (auto& row : report.runs.back().measured.rows) row.percent_of_peak.reset();
    report.published.begin()->second.gpu.host_to_device_bytes_per_second = 64'000'000'000;
    EXPECT_NE(line_of(sheet_of(report), "to the GPU, pinned").find("83.7 % of 64.00"), std::string::npos);
}

TEST(DataSheet, WhatTocudaMeasuredItselfIsNotCalledPublished) {
    auto report = characterised();
    report.published.begin()->second.sources.front().document = "measured, results/nvidia-h200/580/a.jsonl";
    EXPECT_EQ(sheet_of(report).find("Published "), std::string::npos);
}

TEST(DataSheet, HasThePublishedFiguresOfItsOwnGpu) {
    auto report = characterised();
    auto newer = report.runs.back();
    newer.measured.rows.clear();
    newer.about.gpus.front().name = "another GPU";
    auto other = report.published.begin()->second;
    other.gpu.host_to_device_bytes_per_second = 126'000'000'000;
    report.published["another GPU"] = other;
    report.runs.push_back(newer);
    EXPECT_NE(sheet_of(report).find("63.00 GB/s"), std::string::npos) << "the sheet is of the older run";
    EXPECT_EQ(sheet_of(report).find("126.0 GB/s"), std::string::npos);
}

TEST(DataSheet, IsOneForEachModel) {
    auto report = characterised();
    EXPECT_EQ(count_of(sheet_of(report), "<h4>Measured and published</h4>"), 1U);
    report.runs.push_back(report.runs.back());
    report.runs.back().about.gpus.front().name = "NVIDIA B200";
    const auto sheet = sheet_of(report);
    for (const auto* model : {"NVIDIA H200", "NVIDIA B200"})
        EXPECT_EQ(count_of(sheet, std::string("<h4>") + model + ": measured and published</h4>"), 1U) << sheet;
}

TEST(DataSheet, HasTheNewestRunOfEachLine) {
    auto report = characterised();
    const auto before = sheet_of(report);
    auto newer = report.runs.back();
    newer.about.run = "22222222-2222-4333-8444-555555555555";
    std::erase_if(newer.measured.rows, [](const RowSummary& row) { return row.benchmark != "calls/launch_rate"; });
    *newer.measured.rows.front().median_seconds *= 2;
    report.runs.push_back(newer);
    const auto sheet = sheet_of(report);
    EXPECT_NE(line_of(sheet, "each of many launches").find("4.010 us"), std::string::npos) << sheet;
    EXPECT_EQ(line_of(sheet, "to the GPU, pinned"), line_of(before, "to the GPU, pinned"));
    for (const auto& run : report.runs) EXPECT_EQ(count_of(sheet, run.about.run), 1U) << sheet;
    report.runs.back().about.driver.kernel_module = "590.44.01";
    EXPECT_EQ(line_of(sheet_of(report), "each of many launches"), line_of(before, "each of many launches"))
        << "lines of one driver";
}

TEST(DataSheet, SaysWhereAllProcessesTookTheSameTime) {
    auto report = characterised();
    auto& row = *std::ranges::find(report.runs.back().measured.rows, "calls/launch_rate", &RowSummary::benchmark);
    for (auto& one : row.process_medians) one.seconds = 2e-6 * (1 + 1e-12 * one.process);
    row.interval = Range{2e-6, 2e-6 * (1 + 5e-12)};
    EXPECT_NE(line_of(sheet_of(report), "each of many launches").find(">exact<td>"), std::string::npos);
}

TEST(DataSheet, LeavesOutWhatWasMeasuredBesideOthers) {
    auto report = characterised();
    auto& rows = report.runs.back().measured.rows;
    const auto sheet = sheet_of(report);
    for (auto row : std::vector(rows)) {
        row.parameters[at_once_parameter] = std::int64_t{4};
        if (!row.median_seconds) continue;
        *row.median_seconds *= 4;
        rows.push_back(std::move(row));
    }
    EXPECT_EQ(sheet_of(report), sheet);
}

TEST(DataSheet, ShowsTheSlowestPairOfGpusWhateverTheOrder) {
    auto report = characterised();
    auto& rows = report.runs.back().measured.rows;
    for (const auto& [from, to, seconds] : {std::tuple(0, 1, 1e-3), {0, 2, 1e-3}, {2, 1, 4e-3}, {1, 0, 2e-3}}) {
        const Parameters pair{{"bytes", 1 << 26}, {"from", from}, {"to", to}};
        auto copy = pair;
        copy.insert({{"access", "on"}, {"by", "engine"}, {"ways", "one"}});
        auto both = processes_of("pairs/copy", copy, 1 << 26, seconds);
        auto load = pair;
        load.insert({"by", "load"});
        for (auto& row : processes_of("pairs/latency", load, 0, seconds / 1000)) both.push_back(std::move(row));
        for (auto& row : summaries(both, report.runs.back().about.gpus)) rows.push_back(std::move(row));
    }
    for (int order = 0; order < 2; ++order, std::ranges::reverse(rows)) {
        const auto sheet = sheet_of(report);
        const auto copied = line_of(sheet, "to another GPU, slowest of 4: 2 to 1");
        EXPECT_NE(copied.find("16.74 GB/s"), std::string::npos) << "64 MiB in 4.01 ms: " << copied << sheet;
        EXPECT_NE(line_of(sheet, "from another GPU&#39;s memory, slowest of 4: 2 to 1").find("4.010 us"),
                  std::string::npos)
            << sheet;
    }
}

TEST(DataSheet, ShowsTheSlowestOfTheGpusThatWereMeasured) {
    auto report = characterised();
    auto& run = report.runs.back();
    auto second = run.about.gpus.front();
    second.index = 1;
    second.uuid = "GPU-70c0da00-0000-4000-8000-00000000ffff";
    run.about.gpus.push_back(second);
    const auto slow = std::ranges::find(run.measured.rows, "memory/read", &RowSummary::benchmark);
    auto copy = *std::ranges::find_if(slow, run.measured.rows.end(), [](const RowSummary& row) {
        return row.parameters.at("cache") == Value("resident");
    });
    copy.gpu = *second.uuid;
    copy.bytes_per_second_touched = *copy.bytes_per_second_touched / 2;
    copy.median_seconds = *copy.median_seconds * 2;
    run.measured.rows.push_back(copy);
    const auto sheet = sheet_of(report);
    EXPECT_NE(line_of(sheet, "read, slowest of 2: node17 cuda:1").find("2142 GB/s"), std::string::npos) << sheet;
    EXPECT_NE(sheet.find(">to the GPU, pinned<"), std::string::npos) << "measured on one GPU only";
}

TEST(DataSheet, IsLeftOutIfFewOfItsLinesWereMeasured) {
    const auto rows = processes_of("copy/host_to_device/pinned", {{"bytes", 1 << 20}}, 1 << 20, 2e-5);
    EXPECT_EQ(html_of(measured(rows)).find("id=sheet"), std::string::npos);
}

}  // namespace
}  // namespace tocuda::page
