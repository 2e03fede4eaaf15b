// tocuda, Apache-2.0.
// Measurements that look odd but are valid. tampering_test.cpp has the invalid ones.
#include <gtest/gtest.h>

#include "record/digest.hpp"
#include "record/impossible_values.hpp"
#include "record/made_up_file_test.hpp"
#include "record/verification.hpp"

namespace tocuda {
namespace {

std::string problems_of(const std::vector<made_up::Part>& parts) {
    const auto read = verify_bytes(made_up::text(parts), made_up::file_name, made_up::now);
    if (!read) return read.error().what;
    std::string text;
    for (const auto& [what, line] : read->problems) text += std::to_string(line) + ": " + what + "\n";
    return text;
}

// Returns the problems of a 100 MB read with this rate, with a memory peak of 4.917 TB/s and an L2 cache.
std::string problems_at(double bytes_per_second, std::int64_t footprint, std::int64_t l2) {
    auto parts = made_up::parts();
    auto& one = parts[0].measurements.front();
    parts[0].measurements.resize(1);
    one.benchmark = "memory/read";
    one.samples.parameters = {{"bytes", 100'000'000}};
    one.samples.bytes_one_way = one.samples.bytes_touched = 100'000'000;
    one.samples.batch = 20;
    one.samples.seconds.assign(3, 1e8 / bytes_per_second);
    one.samples.peak = {.bytes_per_second = 4.917e12,
                        .source = "made up",
                        .counted = Counted::touched,
                        .footprint_bytes = footprint,
                        .l2_bytes = l2};
    one.id = row_id(one.benchmark, one.samples.parameters, parts[0].run.protocol->version);
    return problems_of(parts);
}

TEST(MeasurementCheck, AcceptsRatesThatTheL2CacheExplains) {
    EXPECT_EQ(problems_at(5.5e12, 100'000'000, 60'000'000), "");
    EXPECT_EQ(problems_at(12e12, 100'000'000, 60'000'000), "") << "up to 12.3 TB/s is possible";
    EXPECT_EQ(problems_at(50e12, 100'000'000, 100'000'000), "") << "all of it may come from the cache";
}

TEST(MeasurementCheck, RejectsRatesThatTheL2CacheCannotExplain) {
    EXPECT_EQ(problems_at(13e12, 100'000'000, 60'000'000),
              "2: the median rate of 1.292e+04 GB/s exceeds the peak of 4917 GB/s (made up) and the 1.229e+04 GB/s "
              "possible when the L2 cache holds 60000000 of the 100000000 bytes accessed\n");
    EXPECT_NE(problems_at(5.5e12, 1'000'000'000, 60'000'000), "") << "up to 5.2 TB/s is possible";
    EXPECT_NE(problems_at(5.5e12, 0, 0), "") << "the cache size is unknown";
}

TEST(MeasurementCheck, SustainedRowHasMoreSamplesThanTheProtocolAllowsOthersAndTelemetryOfEach) {
    auto parts = made_up::parts();
    auto& samples = parts[0].measurements.front().samples;
    samples.seconds.assign(500, samples.seconds.front());
    EXPECT_NE(problems_of(parts).find("500 samples but the protocol allows"), std::string::npos);
    samples.course.assign(500, Telemetry{.sm_clock_mhz = 1980});
    EXPECT_EQ(problems_of(parts), "");
    samples.course.pop_back();
    EXPECT_NE(problems_of(parts).find("500 samples but telemetry of 499"), std::string::npos);
    samples.course.push_back({.sm_clock_mhz = 99999});
    EXPECT_NE(problems_of(parts).find("SM clock of 99999 MHz is impossible"), std::string::npos);
}

TEST(MeasurementCheck, LooksAtTheTail) {
    for (const auto& [tail, problem] : {
             std::pair(SingleTimes{.of = 1000, .p50 = 1, .p99 = 2, .largest = 3}, ""),
             {SingleTimes{.of = 900, .p50 = 1, .largest = 1}, ""},
             {SingleTimes{.of = 1000, .p50 = 1, .p99 = 4, .largest = 3}, "not in order"},
             {SingleTimes{.of = 999, .p50 = 1, .p99 = 2, .largest = 3}, "at least 1000 are needed"},
             {SingleTimes{.of = 1, .p50 = 1, .largest = 1}, "fewer than the samples"},
         }) {
        auto parts = made_up::parts();
        parts[0].measurements.front().samples.tail = tail;
        const auto found = problems_of(parts);
        EXPECT_TRUE(*problem ? found.find(problem) != std::string::npos : found.empty()) << found;
    }
}

TEST(MeasurementCheck, AcceptsAllocationsThatTouchNoBytes) {
    auto parts = made_up::parts();
    for (auto& one : parts[0].measurements) one.samples.bytes_touched = 0;
    EXPECT_EQ(problems_of(parts), "");
}

// There, the rate on a GPU's link stands beside that of the data.
TEST(MeasurementCheck, AcceptsCollectivesThatSendLessThanTheyGather) {
    auto parts = made_up::parts();
    for (auto& one : parts[0].measurements) one.samples.bytes_touched = one.samples.bytes_one_way / 2;
    EXPECT_NE(problems_of(parts).find("fewer bytes touched"), std::string::npos);
    for (auto& part : parts)
        for (auto& one : part.measurements) one.benchmark = "collectives/all_gather";
    EXPECT_EQ(problems_of(parts).find("fewer bytes touched"), std::string::npos) << problems_of(parts);
}

TEST(MeasurementCheck, AcceptsCrashesAfterTheLastParameterSet) {
    auto parts = made_up::parts();
    auto bad_end = parts[0].measurements[0];
    const auto measured = bad_end.samples;
    bad_end.samples = {.parameters = measured.parameters,
                       .status = Status::crashed,
                       .check = "after the last set was measured: SIGKILL",
                       .clock = measured.clock,
                       .batch = 0,
                       .gpu = measured.gpu};
    parts[0].measurements.push_back(bad_end);
    EXPECT_EQ(problems_of(parts), "");
}

// Each group of benchmarks runs its own rounds, so the next benchmark starts again at round 1.
TEST(MeasurementCheck, RoundsRestartWithTheNextBenchmark) {
    auto parts = made_up::parts();
    auto& rows = parts.back().measurements;
    const int last = rows.back().process;
    for (int round = 1; round <= 2; ++round) {
        auto row = made_up::measurement(last + round, round);
        row.benchmark = "copy/host_to_device/registered";
        row.id = row_id(row.benchmark, row.samples.parameters, parts.back().run.protocol->version);
        rows.push_back(row);
    }
    EXPECT_EQ(problems_of(parts), "");
    std::swap(rows.back().round, rows[rows.size() - 2].round);
    EXPECT_NE(problems_of(parts).find("rounds must not decrease"), std::string::npos) << problems_of(parts);
}

// What was left out for time is measured from round 1 on, after the other sets of its benchmark.
TEST(MeasurementCheck, RoundsRestartWithAnotherParameterSet) {
    auto parts = made_up::parts();
    auto& rows = parts.back().measurements;
    const int last = rows.back().process;
    ASSERT_GT(rows.back().round, 0);
    for (int round = 1; round <= 2; ++round) {
        auto row = made_up::measurement(last + round, round);
        row.samples.parameters["bytes"] = std::int64_t{1} << 20;
        row.id = row_id(row.benchmark, row.samples.parameters, parts.back().run.protocol->version);
        rows.push_back(row);
    }
    EXPECT_EQ(problems_of(parts), "");
    std::swap(rows.back().round, rows[rows.size() - 2].round);
    EXPECT_NE(problems_of(parts).find("rounds must not decrease"), std::string::npos) << problems_of(parts);
}

}  // namespace
}  // namespace tocuda
