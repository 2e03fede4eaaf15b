// tocuda, Apache-2.0.
// What a person and a program read of a calibration.
#include "command/calibrate.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "command/paper.hpp"
#include "lines/json.hpp"

namespace tocuda {
namespace {

CalibrationRow some_row(std::int64_t alarmed) {
    CalibrationRow row{.noise = "calm", .meaning = "normal at all levels"};
    row.counted = {.comparisons = 1000, .alarmed_comparisons = alarmed, .rows = 50000, .alarmed_rows = alarmed, .same_rows = 30000, .undecided_rows = 20000};
    row.counted.found[1] = {0.02, 5000, 4000, 3000, 2900};
    return row;
}

TEST(Calibrate, TheRateIsHeldWhereItsIntervalEndsBelowOnePercentAndMissedWhereItBeginsAbove) {
    EXPECT_NEAR(some_row(0).alarms_at_most(), 0.003682, 1e-6);  // 1 - 0.025^(1/1000)
    EXPECT_NEAR(some_row(4).alarms_at_most(), 0.01021, 1e-5);
    EXPECT_TRUE(some_row(3).holds());
    EXPECT_FALSE(some_row(4).holds() || some_row(4).is_missed());
    EXPECT_FALSE(some_row(16).has_many_alarms());
    EXPECT_TRUE(some_row(18).has_many_alarms());
    auto row = some_row(0);
    row.counted.alarmed_rows = 51;
    EXPECT_FALSE(row.holds() || row.is_missed());
    row.counted.alarmed_rows = 80;
    EXPECT_TRUE(row.has_many_alarms());
}

TEST(Calibrate, WhatIsPromisedIsFoundNineTimesInTen) {
    auto row = some_row(0);
    EXPECT_TRUE(row.holds());
    row.counted.found[1].promised_found = 2699;
    EXPECT_FALSE(row.holds() || row.breaks_its_promise());
    row.counted.found[1].promised_found = 2600;
    EXPECT_TRUE(row.breaks_its_promise());
}

TEST(Calibrate, TheTableFitsThePaperAndSaysThatTheNoiseIsMadeUp) {
    const auto text = calibration_table({some_row(2), some_row(9), some_row(40)}, {});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), paper_columns) << line;
    EXPECT_NE(text.find("All of this noise is made up"), std::string::npos);
    EXPECT_NE(text.find("missed, false alarms: calm\ntoo few comparisons to show that the goals are met: calm"), std::string::npos);
    EXPECT_NE(text.find("96.7"), std::string::npos);
}

TEST(Calibrate, TheDocumentHoldsTheCounts) {
    const auto document = json::object(calibration_document({some_row(2)}, {.seed = 18446744073709551615U}));
    EXPECT_EQ(document["seed"], 18446744073709551615U);
    EXPECT_EQ(document["noises"][0]["alarmed_comparisons"], 2);
    EXPECT_EQ(document["noises"][0]["made_up"], true);
    EXPECT_EQ(document["noises"][0]["found"][1]["promised_found"], 2900);
    EXPECT_EQ(document["noises"][0]["holds"], true);
}

}  // namespace
}  // namespace tocuda
