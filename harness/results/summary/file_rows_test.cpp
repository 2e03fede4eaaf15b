// tocuda, Apache-2.0.
// Tests which processes of several sections form one row.
#include "summary/file_rows.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

MeasurementRow timed_row(int process, double seconds) {
    return {.benchmark = "framework/to",
            .id = "0123456789abcdef",
            .device = Device::real,
            .process = process,
            .samples = {.parameters = {{"bytes", 1000}}, .seconds = {seconds}, .gpu = "GPU-1"}};
}

SectionRows section(const std::string& run, std::vector<MeasurementRow> rows) {
    SectionRows made{.run = {}, .rows = std::move(rows)};
    made.run.run = run;
    made.run.session = "session of " + run;
    made.run.driver.kernel_module = "580.95.05";
    made.run.libtorch.version = "2.15.0";
    return made;
}

TEST(FileRows, EqualSoftwareInTwoSectionsIsOneRow) {
    const std::vector sections{section("a", {timed_row(0, 1), timed_row(1, 2)}), section("b", {timed_row(0, 3)})};
    const auto rows = file_rows(sections);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].summary.processes, 3);
    EXPECT_EQ(rows[0].medians, (std::vector<std::vector<double>>{{1, 2}, {3}}));
    EXPECT_EQ(rows[0].sections, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(sessions_of(sections, rows[0].sections), 2);
}

TEST(FileRows, DriversSeparateRows) {
    auto other = section("b", {timed_row(0, 3)});
    other.run.driver.kernel_module = "590.10";
    EXPECT_EQ(file_rows(std::vector{section("a", {timed_row(0, 1)}), other}).size(), 2U);
}

TEST(FileRows, GpusSeparateRows) {
    auto elsewhere = timed_row(1, 2);
    elsewhere.samples.gpu = "GPU-2";
    EXPECT_EQ(file_rows(std::vector{section("a", {timed_row(0, 1), elsewhere})}).size(), 2U);
}

TEST(FileRows, LibTorchVersionsSeparateRowsThroughLibTorchOnly) {
    auto other = section("b", {timed_row(0, 3)});
    other.run.libtorch.version = "2.11.0";
    EXPECT_EQ(file_rows(std::vector{section("a", {timed_row(0, 1)}), other}).size(), 2U);
    auto first = section("a", {timed_row(0, 1)});
    for (auto* one : {&first, &other}) one->rows[0].samples.parameters = {{"through", "runtime"}};
    EXPECT_EQ(file_rows(std::vector{first, other}).size(), 1U);
}

TEST(FileRows, FailedProcessesHaveNoMedian) {
    auto failed = timed_row(1, 2);
    failed.samples.status = Status::failed;
    const auto rows = file_rows(std::vector{section("a", {timed_row(0, 1), failed, timed_row(2, 3)})});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].medians, (std::vector<std::vector<double>>{{1, 3}}));
}

}  // namespace
}  // namespace tocuda
