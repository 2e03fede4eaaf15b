// tocuda, Apache-2.0.
// Summaries of made-up rows: which processes are valid, and how the others are reported.
#include "summary/row_summary.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tocuda {
namespace {

MeasurementRow row(int process, std::vector<double> seconds, Status status = Status::ok,
                   std::string check = "every byte") {
    return {.benchmark = "copy/host_to_device/pinned",
            .id = "0123456789abcdef",
            .device = Device::simulated,
            .process = process,
            .samples = {.parameters = {{"bytes", 1000}},
                        .status = status,
                        .check = std::move(check),
                        .bytes_one_way = 1000,
                        .bytes_touched = 2000,
                        .seconds = std::move(seconds),
                        .gpu = "GPU-1",
                        .peak = {2000, "made up"}}};
}

std::vector<MeasurementRow> usual(int processes) {
    std::vector<MeasurementRow> rows;
    for (int i = 0; i < processes; ++i) rows.push_back(row(i, {9, 1.0 + 0.01 * i, 0.5}));
    return rows;
}

RowSummary summary_of(const std::vector<MeasurementRow>& rows) {
    const auto all = summaries(rows);
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
}

TEST(RowSummary, TimeIsTheMedianOfTheProcessMedians) {
    const auto summary = summary_of(usual(7));
    EXPECT_EQ(summary.status, Status::ok);
    EXPECT_DOUBLE_EQ(*summary.median_seconds, 1.03);
    EXPECT_DOUBLE_EQ(summary.interval->low, 1.0);
    EXPECT_DOUBLE_EQ(summary.interval->high, 1.06);
    EXPECT_DOUBLE_EQ(*summary.interval_level, 0.984375);
    EXPECT_NEAR(*summary.half_width, 0.03 / 1.03, 1e-12);
    EXPECT_EQ(summary.processes, 7);
    EXPECT_EQ(summary.samples, 21);
    EXPECT_EQ(summary.parameters, (Parameters{{"bytes", 1000}}));
    EXPECT_EQ(summary.gpu, "GPU-1");
}

TEST(RowSummary, FewerThanSixProcessesGiveNoInterval) {
    const auto summary = summary_of(usual(3));
    EXPECT_TRUE(summary.median_seconds && summary.detectable);
    EXPECT_FALSE(summary.interval || summary.interval_level || summary.half_width);
}

TEST(RowSummary, LinkPercentageUsesBytesOneWay) {
    auto rows = usual(1);
    rows[0].samples.seconds = {2};
    const auto summary = summary_of(rows);
    EXPECT_EQ(summary.bytes_per_second_one_way, 500);
    EXPECT_EQ(summary.bytes_per_second_touched, 1000);
    EXPECT_EQ(summary.percent_of_peak, 25);
}

TEST(RowSummary, MemoryPercentageUsesBytesTouched) {
    auto rows = usual(1);
    rows[0].benchmark = "memory/triad";
    rows[0].samples.seconds = {2};
    EXPECT_EQ(summary_of(rows).percent_of_peak, 50);
}

TEST(RowSummary, NoPercentageOfTheMemoryPeakIfL2HoldsTooMuch) {
    auto rows = usual(1);
    rows[0].benchmark = "memory/triad";
    rows[0].samples.seconds = {2};
    rows[0].samples.peak.footprint_bytes = 400;
    rows[0].samples.peak.l2_bytes = 100;
    EXPECT_EQ(summary_of(rows).percent_of_peak, 50);
    rows[0].samples.peak.l2_bytes = 101;
    EXPECT_FALSE(summary_of(rows).percent_of_peak);
    EXPECT_EQ(summary_of(rows).flags, Flags{"partly_in_l2"});
}

TEST(RowSummary, RateAboveWhatIsPossibleIsFlaggedOnce) {
    auto rows = usual(2);
    for (auto& one : rows) one.samples.batch = 1;
    EXPECT_TRUE(summary_of(rows).flags.empty());
    for (auto& one : rows) one.samples.seconds = {0.4};  // 2500 of 2000 bytes a second
    rows[1].samples.seconds = {0.41};
    const auto flags = summary_of(rows).flags;
    ASSERT_EQ(flags.size(), 1U);
    EXPECT_TRUE(flags[0].detail.starts_with("its rate cannot be true: it exceeds the peak of 2e-06 GB/s ("))
        << flags[0].text();
    rows[0].samples.status = rows[1].samples.status = Status::invalid;
    EXPECT_TRUE(summary_of(rows).flags.empty()) << "such a row has no rate";
}

TEST(RowSummary, NoPercentageWithoutAPeak) {
    auto rows = usual(1);
    rows[0].samples.peak = {};
    EXPECT_FALSE(summary_of(rows).percent_of_peak);
}

TEST(RowSummary, NoSpeedIfNoBytesMove) {
    auto rows = usual(1);
    rows[0].samples.bytes_one_way = rows[0].samples.bytes_touched = 0;
    const auto summary = summary_of(rows);
    EXPECT_TRUE(summary.median_seconds);
    EXPECT_FALSE(summary.bytes_per_second_one_way || summary.bytes_per_second_touched || summary.percent_of_peak);
}

TEST(RowSummary, OperationsASecondFollowFromTheTime) {
    auto counting = row(0, {2, 2, 2});
    counting.samples.items = 500;
    EXPECT_DOUBLE_EQ(*summary_of({counting}).items_per_second, 250);
    EXPECT_FALSE(summary_of(usual(1)).items_per_second);
}

TEST(RowSummary, CyclesAreTheMedianOfTheProcessesThatCountedThem) {
    auto rows = usual(4);
    for (std::size_t i = 0; i < 3; ++i) rows[i].samples.cycles = 33.0 + static_cast<double>(i);
    EXPECT_EQ(summary_of(rows).cycles, 34);
    EXPECT_FALSE(summary_of(usual(4)).cycles);
    rows.push_back(row(4, {1}, Status::wrong, "the chase ends at another line than its links say"));
    EXPECT_FALSE(summary_of(rows).cycles) << "such a row has no time either";
}

TEST(RowSummary, TailIsOfAllProcesses) {
    auto rows = usual(3);
    EXPECT_FALSE(summary_of(rows).tail);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto more = static_cast<double>(i);
        rows[i].samples.tail = SingleTimes{.of = 1000, .p50 = 1 + more, .p99 = 5 - more, .largest = 9 + more};
    }
    EXPECT_EQ(summary_of(rows).tail, (SingleTimes{.of = 3000, .p50 = 2, .p99 = 4, .largest = 11}));
    rows[1].samples.tail->p99.reset();
    EXPECT_FALSE(summary_of(rows).tail->p99) << "of which processes would it be?";
    rows[1].samples.tail.reset();
    EXPECT_FALSE(summary_of(rows).tail);
}

TEST(RowSummary, RanksAreTheMediansOfTheProcesses) {
    auto rows = usual(3);
    EXPECT_FALSE(summary_of(rows).ranks);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto more = static_cast<double>(i * i);
        rows[i].samples.ranks = RankTimes{.of = 8, .mean = 1 + more, .slowest = 2 + more};
    }
    EXPECT_EQ(summary_of(rows).ranks, (RankTimes{.of = 8, .mean = 2, .slowest = 3}));
    rows[1].samples.ranks.reset();
    EXPECT_FALSE(summary_of(rows).ranks);
}

TEST(RowSummary, OneWrongResultMakesTheRowWrongWithoutATime) {
    auto rows = usual(6);
    rows.push_back(row(6, {1}, Status::wrong, "byte 3 is 7, not 9"));
    const auto summary = summary_of(rows);
    EXPECT_EQ(summary.status, Status::wrong);
    EXPECT_EQ(summary.because, "byte 3 is 7, not 9");
    EXPECT_FALSE(summary.median_seconds || summary.bytes_per_second_one_way);
}

TEST(RowSummary, OneCrashAmongManyIsExcludedWithItsReason) {
    auto rows = usual(6);
    rows.push_back(row(6, {}, Status::crashed, "ended by signal 11"));
    const auto summary = summary_of(rows);
    EXPECT_EQ(summary.status, Status::ok);
    EXPECT_EQ(summary.processes, 6);
    EXPECT_EQ(summary.left_out, (std::vector<LeftOut>{{6, Status::crashed, "ended by signal 11"}}));
}

TEST(RowSummary, RowTakesTheStatusOfExcludedProcessesIfTheyAreHalf) {
    auto rows = usual(2);
    rows.push_back(row(2, {}, Status::timeout, "60 s"));
    rows.push_back(row(3, {}, Status::timeout, "60 s"));
    const auto summary = summary_of(rows);
    EXPECT_EQ(summary.status, Status::timeout);
    EXPECT_EQ(summary.because, "60 s");
    EXPECT_TRUE(summary.median_seconds) << "the measured time is still reported";
}

TEST(RowSummary, SkippedRowReportsWhatWasNeeded) {
    const auto summary = summary_of({row(0, {}, Status::skipped, "needs 2 GPUs, found 1")});
    EXPECT_EQ(summary.status, Status::skipped);
    EXPECT_EQ(summary.because, "needs 2 GPUs, found 1");
    EXPECT_EQ(summary.processes, 0);
    EXPECT_FALSE(summary.median_seconds || summary.detectable || summary.percent_of_peak);
}

MeasurementRow cut_short(int round) {
    auto skipped = row(9, {}, Status::skipped, "budget: 60 s were spent after some");
    skipped.samples.flags = {"budget"};
    skipped.round = round;
    return skipped;
}

TEST(RowSummary, SpentBudgetIsAFlagAndNotAProcess) {
    auto rows = usual(1);
    rows[0].round = 1;
    rows.push_back(cut_short(2));
    auto summary = summary_of(rows);
    EXPECT_EQ(summary.status, Status::ok) << "one process measured it";
    EXPECT_EQ(summary.processes, 1);
    EXPECT_EQ(summary.flags, Flags{"budget"});
    EXPECT_TRUE(summary.left_out.empty());
    rows.push_back(row(10, {1}));
    rows.back().round = 2;
    EXPECT_TRUE(summary_of(rows).flags.empty()) << "measured after all, wherever in the file";
    std::swap(rows.front(), rows.back());
    EXPECT_TRUE(summary_of(rows).flags.empty());
}

TEST(RowSummary, UnreachedRowReportsTheSpentBudget) {
    const auto summary = summary_of({cut_short(1), cut_short(1)});
    EXPECT_EQ(summary.status, Status::skipped);
    EXPECT_EQ(summary.because, "budget: 60 s were spent after some");
    EXPECT_EQ(summary.flags, Flags{"budget"});
}

TEST(RowSummary, ZeroTimesAreInvalid) {
    const auto summary = summary_of({row(0, {0, 0, 0}), row(1, {})});
    EXPECT_EQ(summary.status, Status::invalid);
    EXPECT_EQ(summary.because, "no time was measured");
    EXPECT_FALSE(summary.median_seconds);
}

TEST(RowSummary, ThrottledProcessIsExcluded) {
    auto rows = usual(7);
    for (auto& one : rows) one.samples.after = Telemetry{.sm_clock_mhz = one.process == 4 ? 1200 : 1980};
    const auto summary = summary_of(rows);
    EXPECT_EQ(summary.processes, 6);
    EXPECT_EQ(
        summary.left_out,
        (std::vector<LeftOut>{{4, Status::invalid, "the SM clock was 1200 MHz, below the row's usual 1980", 1.04}}));
}

TEST(RowSummary, ProcessesWhoseClocksThePowerLimitSpreadAllCount) {
    auto rows = usual(6);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].samples.during = Telemetry{.sm_clock_mhz = 1300 + 40 * static_cast<int>(i),
                                           .reasons = std::vector<std::string>{"sw_power_cap"}};
    const auto summary = summary_of(rows);
    EXPECT_EQ(summary.processes, 6);
    EXPECT_TRUE(summary.left_out.empty()) << summary.left_out.front().because;
    EXPECT_EQ(summary.flags, (Flags{"sw_power_cap", "the power limit held the SM clock between 1300 and 1500 MHz"}));
    for (auto& one : rows) one.samples.during->sm_clock_mhz = 1300;
    EXPECT_EQ(summary_of(rows).flags, Flags{"sw_power_cap"}) << "the same for all";
}

TEST(RowSummary, EachValidProcessHasAMedian) {
    auto rows = usual(3);
    rows[1].samples.status = Status::failed;
    auto summary = summary_of(rows);
    EXPECT_EQ(summary.process_medians, (std::vector<ProcessMedian>{{0, 1.0}, {2, 1.02}}));
    EXPECT_EQ(summary.check, "every byte");
    rows[1].samples.status = Status::wrong;
    summary = summary_of(rows);
    EXPECT_EQ(summary.process_medians.size(), 2U) << "the medians are reported but are not the row's time";
    EXPECT_EQ(summary.processes, 0);
}

TEST(RowSummary, EachFlagIsListedOnce) {
    auto rows = usual(6);
    for (auto& one : rows)
        one.samples.after = Telemetry{.reasons = std::vector<std::string>{"sw_power_cap"}, .link_width = 8};
    const auto all = summaries(rows, {{.uuid = "GPU-1", .pcie = {.width_max = 16}}});
    EXPECT_EQ(all.at(0).flags, (Flags{"sw_power_cap", "link_below_maximum"}));
}

TEST(RowSummary, GpusAndPeersSeparateRows) {
    auto rows = usual(3);
    rows[1].samples.gpu = "GPU-2";
    rows[2].samples.peer = "GPU-2";
    EXPECT_EQ(summaries(rows).size(), 3U);
    EXPECT_TRUE(summaries(std::vector<MeasurementRow>{}).empty());
}

TEST(RowSummary, RowsAreSortedByGpu) {
    auto rows = usual(3);
    rows[0].samples.gpu = "GPU-2";
    rows[2].samples.gpu = "GPU-2";
    rows[2].id = "another";
    const auto all = summaries(rows, {{.index = 0, .uuid = "GPU-1"}, {.index = 1, .uuid = "GPU-2"}});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].gpu, "GPU-1");
    EXPECT_EQ(all[2].id, "another");
}

TEST(RowSummary, DetectableChangeGrowsWithTheNumberOfRows) {
    auto rows = usual(6);
    const auto alone = *summaries(rows).at(0).detectable;
    for (int i = 0; i < 6; ++i) {
        rows.push_back(rows[static_cast<std::size_t>(i)]);
        rows.back().id = "another";
    }
    EXPECT_GT(*summaries(rows).at(0).detectable, alone);
}

TEST(RowSummary, ThrowsOnAnEmptyList) { EXPECT_THROW(summarise({}), std::invalid_argument); }

TEST(PathFits, FitsEachPathOverItsSizes) {
    std::vector<RowSummary> rows;
    for (const char* memory : {"pinned", "pageable"})
        for (const std::int64_t bytes : {4096, 1048576, 67108864})
            rows.push_back({.benchmark = "copy",
                            .parameters = {{"bytes", bytes}, {"memory", memory}},
                            .median_seconds = 1e-5 + static_cast<double>(bytes) / 5e10,
                            .bytes_one_way = bytes});
    const auto fits = path_fits(rows);
    ASSERT_EQ(fits.size(), 2U);
    EXPECT_EQ(fits[1].parameters, (Parameters{{"memory", "pageable"}}));
    EXPECT_EQ(fits[1].sizes, 3);
    EXPECT_NEAR(*fits[1].t0_seconds, 1e-5, 1e-12);
    EXPECT_NEAR(*fits[1].bytes_per_second, 5e10, 1e3);
    EXPECT_NEAR(*fits[1].half_bandwidth_bytes, 5e5, 1);
}

TEST(PathFits, IgnoresWorkingSetsThatAreNotWhatWasMoved) {
    auto rows = usual(6);
    for (auto& each : rows) each.benchmark = "curve/read";
    EXPECT_TRUE(path_fits(summaries(rows)).empty());
}

TEST(PathFits, IgnoresRowsThatAreNotOk) {
    std::vector<RowSummary> rows;
    for (const std::int64_t bytes : {4096, 1048576, 67108864})
        rows.push_back(
            {.benchmark = "copy", .parameters = {{"bytes", bytes}}, .median_seconds = 1e-5, .bytes_one_way = bytes});
    rows[2].status = Status::skipped;
    const auto fits = path_fits(rows);
    EXPECT_EQ(fits.at(0).sizes, 2);
    EXPECT_FALSE(fits[0].bytes_per_second);
    EXPECT_EQ(fits[0].because, "2 sizes: a fit needs 3");
}

TEST(PathFits, IgnoresRowsWithoutASize) {
    EXPECT_TRUE(path_fits(std::vector<RowSummary>{{.benchmark = "start/process"}}).empty());
}

}  // namespace
}  // namespace tocuda
