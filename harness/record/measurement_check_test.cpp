// tocuda, Apache-2.0.
// What looks odd in a measurement and is right all the same. What is wrong stands in verification_test.cpp.
#include "record/measurement_check.hpp"

#include <gtest/gtest.h>

#include "record/made_up_file_test.hpp"
#include "record/row_id.hpp"
#include "record/verification.hpp"

namespace tocuda {
namespace {

std::string problems_of(const std::vector<made_up::Part>& parts) {
    const auto read = verify_bytes(made_up::text(parts), made_up::file_name, made_up::now);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) return wrong->what;
    std::string text;
    for (const auto& [line, what] : std::get<Verification>(read).problems)
        text += std::to_string(line) + ": " + what + "\n";
    return text;
}

// A read of 100 MB at 4.917 TB/s, of which an L2 cache of 60 MB can keep a part.
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

TEST(MeasurementCheck, ARateThatTheL2CacheExplainsIsPossible) {
    EXPECT_EQ(problems_at(5.5e12, 100'000'000, 60'000'000), "");
    EXPECT_EQ(problems_at(12e12, 100'000'000, 60'000'000), "") << "12.3 TB/s are possible";
    EXPECT_EQ(problems_at(50e12, 100'000'000, 100'000'000), "") << "it may all come from there";
}

TEST(MeasurementCheck, ARateThatTheL2CacheDoesNotExplainIsNot) {
    EXPECT_EQ(problems_at(13e12, 100'000'000, 60'000'000),
              "2: 1.292e+04 GB/s is above its peak of 4917 GB/s (made up), and above the 1.229e+04 GB/s that are "
              "possible where the L2 cache keeps "
              "60000000 of its 100000000 bytes\n");
    EXPECT_NE(problems_at(5.5e12, 1'000'000'000, 60'000'000), "") << "5.2 TB/s are possible";
    EXPECT_NE(problems_at(5.5e12, 0, 0), "") << "nothing is known of a cache";
}

TEST(MeasurementCheck, AnAllocationTouchesNothing) {
    auto parts = made_up::parts();
    for (auto& one : parts[0].measurements) one.samples.bytes_touched = 0;
    EXPECT_EQ(problems_of(parts), "");
}

TEST(MeasurementCheck, AProcessMayEndBadlyAfterItsLastSet) {
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

// Benchmarks take their rounds group by group: another one begins anew with the first.
TEST(MeasurementCheck, ABenchmarkMayBeginWhenAnotherHasTakenItsRounds) {
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
    EXPECT_NE(problems_of(parts).find("out of the order of processes"), std::string::npos) << problems_of(parts);
}

}  // namespace
}  // namespace tocuda
