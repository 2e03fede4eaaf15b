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
    for (const auto& [line, what] : std::get<Verification>(read).problems) text += std::to_string(line) + ": " + what + "\n";
    return text;
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
    bad_end.samples = {.parameters = measured.parameters, .status = Status::crashed, .check = "after the last set was measured: SIGKILL",
                       .clock = measured.clock, .batch = 0, .gpu = measured.gpu};
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
