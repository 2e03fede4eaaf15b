// tocuda, Apache-2.0.
// What a page says of two sides.
#include <gtest/gtest.h>

#include <utility>

#include "report/measured_report_test.hpp"
#include "report/parts.hpp"
#include "report/report.hpp"

namespace tocuda::page {
namespace {

// A run of each of two models, side by side.
Report of_two_models() {
    auto rows = processes_of("copy/host_to_device/pinned", {{"bytes", 1 << 26}}, 1 << 26, 1e-3);
    for (auto& row : processes_of("copy/device_to_host/pinned", {{"bytes", 1 << 26}}, 1 << 26, 1.1e-3))
        rows.push_back(std::move(row));
    auto report = measured(rows);
    report.runs.insert(report.runs.begin(), report.runs.front());
    report.runs.front().about.gpus.front().name = "NVIDIA H100";
    for (auto& row : report.runs.front().measured.rows) *row.bytes_per_second_one_way /= 2;
    ChangeReport compared;
    compared.before.runs = {{.run = report.runs.front().about}};
    compared.after.runs = {{.run = report.runs.back().about}};
    const Parameters size{{"bytes", 1 << 26}};
    compared.models = {
        "NVIDIA H100", "NVIDIA H200", {{"memory/read", size, 1e-3, 8e-4}, {"calls/launch", {}, 9e-6, 1e-5}}};
    report.changes = {{"old", "new", compared}};
    return report;
}

TEST(Page, GivesTheUnitOfOldAndNewValues) {
    auto report = of_two_models();
    auto& compared = report.changes.front().report;
    compared.models.reset();
    for (const auto* benchmark : {"one", "other"})
        compared.rows.push_back({.row = {.benchmark = benchmark},
                                 .change = {.change = 0.05},
                                 .seconds_before = 0.02,
                                 .seconds_after = 0.021,
                                 .rate = PrintedRate{1, "GB/s"}});
    const auto alike = html_of(report);
    for (const auto* part : {">old, GB/s<", ">new, GB/s<", ">50.00<", ">47.62<"})
        EXPECT_NE(alike.find(part), std::string::npos) << part;
    compared.rows.back().rate.reset();
    const auto mixed = html_of(report);
    for (const auto* part : {">old<", ">new<", ">50.00 GB/s<", ">20.00 ms<"})
        EXPECT_NE(mixed.find(part), std::string::npos) << part;
}

TEST(Page, OfTwoModelsShowsHowFastEachIs) {
    const auto report = of_two_models();
    EXPECT_EQ(verdict_words(report),
              "NVIDIA H200 0.90 to 1.25 times as fast as NVIDIA H100 at the largest size of 2 benchmarks");
    const auto page = html_of(report);
    EXPECT_NE(page.find("How many times as fast NVIDIA H200 is as NVIDIA H100"), std::string::npos);
    for (const auto* cell : {"1.000 ms", "800.0 us", "1.25", "0.90"})
        EXPECT_NE(page.find(cell), std::string::npos) << cell;
    EXPECT_EQ(page.find("0 changed"), std::string::npos) << "nothing was compared";
}

TEST(Page, OfTwoModelsNamesBothWhereOneIsNoOlderStateOfTheOther) {
    auto report = of_two_models();
    const auto page = html_of(report);
    for (const auto* part :
         {"<h1>NVIDIA H100 and NVIDIA H200, ", "<p class=machine>NVIDIA H100 ", "<p class=machine>NVIDIA H200 ",
          "<dd>NVIDIA H100<dd><b>33.47 GB/s</b>", "<dd>NVIDIA H200<dd><b>66.94 GB/s</b>", ">Side by side</h2>",
          "<h3>NVIDIA H100 and NVIDIA H200</h3>", "<dt>H100<dd>1 run", "<dt>H200<dd>1 run",
          "Each number is of the newest of 2 runs that has it"})
        EXPECT_EQ(count_of(page, part), 1U) << part;
    for (const auto* part : {"old to new", "<dt>old", "<dt>new", "Changes"})
        EXPECT_EQ(count_of(page, part), 0U) << part;
    EXPECT_EQ(count_of(page, "<div><dt>"), 2U) << "a card for each number";
    EXPECT_EQ(count_of(page, "</div><div><dt>"), 1U);
    const auto digest = digest_of(report);
    for (const auto* part :
         {"**side by side** NVIDIA H200 0.90 to 1.25 times as fast", "pinned, NVIDIA H100: 33.47 GB/s"})
        EXPECT_EQ(count_of(digest, part), 1U) << digest;
    std::swap(report.changes.front().report.models->before, report.changes.front().report.models->after);
    EXPECT_NE(html_of(report).find("<h1>NVIDIA H200 and NVIDIA H100, "), std::string::npos) << "the order asked for";
}

}  // namespace
}  // namespace tocuda::page
