// tocuda, Apache-2.0.
// The data sheet of a page: its lines, shares of what is published, and when there is none.
#include <gtest/gtest.h>

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

TEST(DataSheet, HasSharesOfWhatIsPublished) {
    const auto page = html_of(characterised());
    const auto sheet = page.substr(page.find("<h2 id=sheet>"));
    EXPECT_NE(sheet.find("to the GPU, pinned"), std::string::npos);
    EXPECT_NE(sheet.find("85.0 %"), std::string::npos) << "1 GiB in 20.05 ms, of 63 GB/s";
    EXPECT_NE(sheet.find("a published sheet"), std::string::npos);
    EXPECT_EQ(count_of(sheet.substr(0, sheet.find("<h2 id=measurements>")), "latency/device"), 3U);
    EXPECT_EQ(count_of(sheet.substr(0, sheet.find("<h2 id=measurements>")), "cache=cold"), 0U);
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
    EXPECT_NE(html_of(report).find("85.0 %"), std::string::npos) << "the sheet is of the older run";
}

TEST(DataSheet, IsLeftOutIfFewOfItsLinesWereMeasured) {
    const auto rows = processes_of("copy/host_to_device/pinned", {{"bytes", 1 << 20}}, 1 << 20, 2e-5);
    EXPECT_EQ(html_of(measured(rows)).find("id=sheet"), std::string::npos);
}

}  // namespace
}  // namespace tocuda::page
