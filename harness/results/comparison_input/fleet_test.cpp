// tocuda, Apache-2.0.
// GPUs among their peers: cohorts, which GPU stands out, and what is reported about it.
#include "comparison_input/fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "comparison_input/made_up_sections_test.hpp"

namespace tocuda {
namespace {

struct Node {
    RunLine run;
    std::vector<MeasurementRow> rows;
};

Node node(int number, double seconds = 1e-3) {
    Node one{made_up::run_of(number), made_up::rows_of("copy/x", {seconds, seconds * 1.001, seconds * 1.002})};
    for (const auto& row : made_up::rows_of("copy/y", {2 * seconds})) one.rows.push_back(row);
    const auto uuid = "GPU-" + std::to_string(number);
    one.run.machine.host = "node" + std::to_string(number);
    one.run.gpus[0].uuid = uuid;
    for (auto& row : one.rows) row.samples.gpu = uuid;
    return one;
}

std::vector<Node> nodes(int count, double apart = 1e-4) {
    std::vector<Node> all;
    for (int number = 1; number <= count; ++number) all.push_back(node(number, 1e-3 * (1 + number * apart)));
    return all;
}

FleetReport judged(const std::vector<Node>& fleet) {
    RowNames names;
    Gathering gathering(names);
    for (const auto& [run, rows] : fleet) made_up::add_run(gathering, run, rows);
    std::vector<std::string> warnings;
    const auto sections = gathering.finish(warnings);
    return judge_fleet(names, sections);
}

TEST(Fleet, SlowerGpuIsFoundInEachOfItsRows) {
    auto fleet = nodes(12);
    fleet[4] = node(5, 1.5e-3);
    const auto report = judged(fleet);
    EXPECT_EQ(report.gpus, 12);
    EXPECT_EQ(report.rows, 24);
    ASSERT_EQ(report.found.size(), 2U);
    for (const auto& row : report.found) {
        EXPECT_EQ(row.node, "node5 cuda:0");
        EXPECT_EQ(row.gpu, "GPU-5");
        EXPECT_TRUE(row.below);
        EXPECT_NEAR(row.difference, -0.333, 0.002);
        EXPECT_EQ(row.peers, 11);
        EXPECT_EQ(row.differs, "");
    }
    EXPECT_EQ(report.found[0].benchmark, "copy/x");
    EXPECT_EQ(report.found[1].benchmark, "copy/y");
}

TEST(Fleet, IsIndependentOfTheOrderOfFiles) {
    auto fleet = nodes(12);
    fleet[4] = node(5, 1.5e-3);
    fleet[7] = node(8, 0.5e-3);
    const auto report = judged(fleet);
    std::reverse(fleet.begin(), fleet.end());
    EXPECT_EQ(judged(fleet).found, report.found);
    EXPECT_EQ(report.found.size(), 4U);
}

TEST(Fleet, RowsShareTheRateOfFalseAlarms) {
    auto fleet = nodes(12, 4e-4);
    fleet[4] = node(5, 1.045e-3);
    ASSERT_EQ(judged(fleet).found.size(), 2U);
    for (auto& one : fleet)
        for (int row = 0; row < 2000; ++row) {
            one.rows.push_back(made_up::row_of("copy/" + std::to_string(row), 1e-3));
            one.rows.back().samples.gpu = *one.run.gpus[0].uuid;
        }
    EXPECT_TRUE(judged(fleet).found.empty());
}

TEST(Fleet, IsJudgedWithinEachCohort) {
    auto fleet = nodes(12);
    for (std::size_t i = 6; i < 12; ++i) {
        fleet[i] = node(static_cast<int>(i) + 1, 2e-3);
        fleet[i].run.gpus[0].power_limit_w = 350;
    }
    const auto report = judged(fleet);
    EXPECT_TRUE(report.found.empty());
    EXPECT_EQ(report.rows, 24);
    ASSERT_EQ(report.cohorts.size(), 2U);
    EXPECT_EQ(report.cohorts[0].of.power_limit_w, "350");
    EXPECT_EQ(report.cohorts[0].gpus, 6);
    EXPECT_EQ(report.cohorts[1].gpus, 6);
}

TEST(Fleet, CountsRowsWithTooFewPeersAndInvalidRows) {
    auto fleet = nodes(7);
    fleet[0].run.driver.kernel_module = "580.95.05";
    for (auto& row : fleet[1].rows) row.samples.status = Status::crashed;
    const auto report = judged(fleet);
    EXPECT_EQ(report.alone, 12);  // the five that are left have four peers each
    EXPECT_EQ(report.invalid, 2);
    EXPECT_EQ(report.rows, 0);
}

TEST(Fleet, ReportsWhatDiffersAboutAGpuThatStandsOut) {
    auto fleet = nodes(12);
    fleet[4] = node(5, 1.5e-3);
    for (auto& one : fleet)
        for (auto& row : one.rows)
            row.samples.during = Telemetry{.sm_clock_mhz = 1980, .link_generation = 5, .link_width = 16};
    fleet[4].rows[0].samples.during->link_width = 8;
    fleet[4].rows[1].samples.flags = {"sw_power_cap"};
    const auto report = judged(fleet);
    ASSERT_EQ(report.found.size(), 2U);
    for (const auto& row : report.found) EXPECT_EQ(row.differs, "sw_power_cap, link width 8 instead of 16");
}

TEST(Fleet, SimulatedGpusOfSeveralMachinesAreDistinct) {
    auto fleet = nodes(12);
    for (auto& one : fleet) {
        one.run.device = Device::simulated;
        one.run.gpus[0].uuid = "GPU-a";
        for (auto& row : one.rows) row.samples.gpu = "GPU-a";
    }
    const auto report = judged(fleet);
    EXPECT_EQ(report.gpus, 12);
    EXPECT_TRUE(report.simulated);
}

}  // namespace
}  // namespace tocuda
