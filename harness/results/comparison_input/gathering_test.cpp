// tocuda, Apache-2.0.
// Sections that occur once, more than once, or in part.
#include "comparison_input/gathering.hpp"

#include <gtest/gtest.h>

#include "comparison_input/made_up_sections_test.hpp"

namespace tocuda {
namespace {

using made_up::row_of;
using made_up::run_of;

class Gathered : public testing::Test {
protected:
    void add(int run, int rows, const std::string& digest, bool whole = true) {
        gathering.begin(run_of(run));
        for (int i = 0; i < rows; ++i) gathering.add(row_of("copy/x", 1e-3, i));
        gathering.end(digest, whole);
    }
    std::vector<GatheredSection> finish() { return gathering.finish(warnings); }

    RowNames names;
    Gathering gathering{names};
    std::vector<std::string> warnings;
};

TEST_F(Gathered, EqualSectionsCountOnceWithoutAWarning) {
    add(2, 3, "x");
    add(1, 3, "y");
    add(2, 3, "x");
    const auto sections = finish();
    ASSERT_EQ(sections.size(), 2U);
    EXPECT_EQ(sections[0].run.run, "run-01");
    EXPECT_TRUE(warnings.empty());
}

TEST_F(Gathered, TailIsARowOfItsOwn) {
    auto row = row_of("calls/launch", 1e-6);
    gathering.begin(run_of(1));
    for (const auto p99 : {std::optional(3e-6), std::optional<double>()}) {
        row.samples.tail = SingleTimes{.of = 5000, .p50 = 1e-6, .p99 = p99, .largest = 1e-4};
        gathering.add(row);
    }
    gathering.end("digest", true);
    const auto processes = finish().at(0).processes;
    ASSERT_EQ(processes.size(), 3U);
    const auto& name = names.name(processes[1].row);
    EXPECT_EQ(processes[1].seconds, 3e-6);
    EXPECT_EQ(name.benchmark, "calls/launch");
    EXPECT_EQ(name.parameters, (Parameters{{"bytes", 4096}, {"quantile", "p99"}}));
    EXPECT_NE(name.id, names.name(processes[0].row).id);
    EXPECT_EQ(processes[2].row, processes[0].row);
}

TEST_F(Gathered, CompleteSectionOfARunCounts) {
    add(1, 5, "cut", false);
    add(1, 3, "whole");
    const auto sections = finish();
    ASSERT_EQ(sections.size(), 1U);
    EXPECT_EQ(sections[0].digest, "whole");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("more than once"), std::string::npos) << warnings[0];
}

TEST_F(Gathered, DifferentCompleteSectionsOfARunAreDroppedWithOneWarning) {
    add(1, 3, "one");
    add(1, 3, "another");
    add(1, 2, "cut", false);
    add(2, 3, "x");
    const auto sections = finish();
    ASSERT_EQ(sections.size(), 1U);
    EXPECT_EQ(sections[0].run.run, "run-02");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("none of them counts"), std::string::npos) << warnings[0];
}

TEST_F(Gathered, PartialSectionCounts) {
    add(1, 2, "cut", false);
    EXPECT_EQ(finish().at(0).processes.size(), 2U);
}

TEST_F(Gathered, RowsOfOneNameShareANumber) {
    gathering.begin(run_of(1));
    gathering.add(row_of("copy/x", 1e-3, 0));
    gathering.add(row_of("copy/y", 1e-3, 0));
    gathering.add(row_of("copy/x", 1e-3, 1));
    gathering.end("x", true);
    const auto sections = finish();
    EXPECT_EQ(names.size(), 2U);
    EXPECT_EQ(sections.at(0).processes.at(0).row, sections.at(0).processes.at(2).row);
}

TEST_F(Gathered, OtherNamesAreTakenOver) {
    add(1, 2, "x");
    RowNames others;
    Gathering elsewhere(others);
    elsewhere.begin(run_of(2));
    for (const auto* name : {"copy/y", "copy/x"}) elsewhere.add(row_of(name, 1e-3));
    elsewhere.end("y", true);
    auto sections = elsewhere.finish(warnings);
    names.take_over(others, sections);
    const auto& taken = sections.at(0).processes;
    EXPECT_EQ(names.name(taken.at(0).row).benchmark, "copy/y");
    const auto ours = finish().at(0).processes;
    EXPECT_EQ(taken.at(1).row, ours.at(0).row);
    EXPECT_EQ(taken.at(1).gpu, ours.at(0).gpu);
    EXPECT_EQ(taken.at(1).flags, ours.at(0).flags);
}

TEST_F(Gathered, ImportedRateIsKeptAsItWasPrinted) {
    gathering.begin(run_of(1));
    auto row = row_of("nvbandwidth/host_to_device_memcpy_ce", 0.02);
    row.samples.seconds = {0.02};
    for (const auto& imported : {std::optional<Printed>(), std::optional(Printed{.value = 50, .unit = "GB/s"})}) {
        row.imported = imported;
        gathering.add(row);
    }
    EXPECT_EQ(names.name(finish().at(0).processes.at(0).row).rate, (PrintedRate{1, "GB/s"}));
}

TEST_F(Gathered, ProcessWithoutATimeDoesNotCount) {
    auto row = row_of("copy/x", 0);
    gathering.begin(run_of(1));
    gathering.add(row);
    row.samples.seconds.clear();
    gathering.add(row);
    gathering.end("x", true);
    const auto sections = finish();
    for (const auto& time : sections.at(0).processes) {
        EXPECT_EQ(time.status, Status::invalid);
        EXPECT_EQ(names.text(time.why), "no time was measured");
    }
}

}  // namespace
}  // namespace tocuda
