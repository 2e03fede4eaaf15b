// tocuda, Apache-2.0.
// What a page says of two sides.
#include <gtest/gtest.h>

#include "report/measured_report_test.hpp"
#include "report/parts.hpp"
#include "report/report.hpp"

namespace tocuda::page {
namespace {

TEST(Page, OfTwoModelsShowsHowFastEachIs) {
    auto report = measured(processes_of("memory/read", {{"bytes", 1 << 26}}, 1 << 26, 8e-4));
    ChangeReport compared;
    compared.before.runs = compared.after.runs = {{.run = run_line()}};
    const Parameters size{{"bytes", 1 << 26}};
    compared.models = {
        "NVIDIA H100", "NVIDIA H200", {{"memory/read", size, 1e-3, 8e-4}, {"calls/launch", {}, 9e-6, 1e-5}}};
    report.changes = {{"old", "new", compared}};
    EXPECT_EQ(verdict_words(report),
              "NVIDIA H200 0.90 to 1.25 times as fast as NVIDIA H100 at the largest size of 2 benchmarks");
    const auto page = html_of(report);
    EXPECT_NE(page.find("How many times as fast NVIDIA H200 is as NVIDIA H100"), std::string::npos);
    for (const auto* cell : {"1.000 ms", "800.0 us", "1.25", "0.90"})
        EXPECT_NE(page.find(cell), std::string::npos) << cell;
    EXPECT_EQ(page.find("0 changed"), std::string::npos) << "nothing was compared";
}

}  // namespace
}  // namespace tocuda::page
