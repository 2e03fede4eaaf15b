// tocuda, Apache-2.0.
// Whatever goes wrong in a measurement process is recorded in a row. Another process measures the sets it left, and the
// other benchmarks continue.
#include <gtest/gtest.h>

#include <algorithm>

#include "command/driven_program_test.hpp"
#include "model/measurement.hpp"

namespace tocuda {
namespace {

class Faults : public testing::Test {
protected:
    Faults() { place.add_fake_bench(); }

    driven::Finished bench(const std::string& name, const driven::Words& more = {}) {
        driven::Words words{"bench", name, "--quick"};
        words.insert(words.end(), more.begin(), more.end());
        return place.run(words);
    }
    std::vector<MeasurementRow> rows(const std::string& benchmark, std::int64_t bytes) const {
        std::vector<MeasurementRow> found;
        const auto recording = place.recording();
        for (const auto& section : recording.sections)
            for (const auto& one : section.measurements)
                if (one.row.benchmark == benchmark && one.row.samples.parameters == Parameters{{"bytes", bytes}})
                    found.push_back(one.row);
        return found;
    }
    // The only row of the bad set; checks that the other sets are sound.
    MeasurementRow bad_row(const std::string& benchmark) const {
        for (const auto bytes : {4096, 1048576}) {
            const auto sound = rows(benchmark, bytes);
            EXPECT_GE(sound.size(), 3U) << bytes << " was not measured often enough";
            for (const auto& row : sound)
                EXPECT_EQ(row.samples.status, Status::ok) << bytes << ": " << row.samples.check;
        }
        const auto found = rows(benchmark, 65536);
        EXPECT_EQ(found.size(), 1U) << "a failure is recorded once and not retried";
        return found.empty() ? MeasurementRow{} : found[0];
    }
    void expect(const std::string& benchmark, Status status, const std::string& why) {
        const auto finished = bench(benchmark);
        EXPECT_EQ(finished.code, 1) << finished.err << finished.out;
        const auto row = bad_row(benchmark);
        EXPECT_EQ(word(row.samples.status), word(status)) << row.samples.check;
        EXPECT_NE(row.samples.check.find(why), std::string::npos) << row.samples.check;
        EXPECT_NE(finished.out.find("! " + benchmark + " 64 KiB: " + std::string(word(status))), std::string::npos)
            << "the reason is printed\n"
            << finished.out;
        EXPECT_TRUE(place.nothing_runs());
    }

    driven::Place place;
};

TEST_F(Faults, CrashFailsCurrentSet) { expect("fake/crashes", Status::crashed, "SIGSEGV"); }
TEST_F(Faults, GarbageFailsCurrentSet) { expect("fake/garbage", Status::failed, "not JSON"); }
TEST_F(Faults, HalfLineFailsCurrentSet) { expect("fake/torn", Status::failed, "half a line"); }
TEST_F(Faults, MissingLineFailsCurrentSet) { expect("fake/leaves", Status::failed, "before measuring this set"); }
TEST_F(Faults, ProcessReportsStickyError) { expect("fake/sticky", Status::failed, "every byte"); }
TEST_F(Faults, UnreportedStickyErrorIsRecordedWithStderr) {
    expect("fake/sticky_silent", Status::failed, "cudaErrorIllegalAddress");
}
TEST_F(Faults, WrongResultIsFinding) { expect("fake/wrong", Status::wrong, "every byte"); }
TEST_F(Faults, FailedCallIsFinding) { expect("fake/failed", Status::failed, "every byte"); }

TEST_F(Faults, HangEndsAtDeadline) {
    const auto finished = bench("fake/hangs", {"--timeout", "0.5"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_EQ(word(bad_row("fake/hangs").samples.status), "timeout");
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(Faults, SkippedSetIsNoFinding) {
    const auto finished = bench("fake/skips");
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    EXPECT_EQ(word(bad_row("fake/skips").samples.status), "skipped");
}

TEST_F(Faults, InvalidSamplesAreRetakenAndAreFinding) {
    const auto finished = bench("fake/invalid", {"--budget", "5"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    const auto found = rows("fake/invalid", 65536);
    EXPECT_GE(found.size(), 3U);
    for (const auto& row : found) EXPECT_EQ(word(row.samples.status), "invalid");
}

TEST_F(Faults, UnrequestedLineIsRecorded) {
    const auto finished = bench("fake/surplus", {"--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    const auto found = rows("fake/surplus", 4096);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(word(found[0].samples.status), "ok");
    EXPECT_EQ(word(found[1].samples.status), "failed");
    EXPECT_NE(found[1].samples.check.find("not requested: bytes=5"), std::string::npos) << found[1].samples.check;
}

TEST_F(Faults, SetAnsweredTwiceIsRecorded) {
    const auto finished = bench("fake/twice", {"--bytes", "64KiB"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_EQ(rows("fake/twice", 65536).size(), 2U);
}

TEST_F(Faults, GivesUpOnWorkerThatCannotStart) {
    const auto finished = bench("fake/unable");
    EXPECT_EQ(finished.code, 1) << finished.err;
    std::size_t all = 0;
    for (const auto bytes : {4096, 65536, 1048576}) {
        const auto found = rows("fake/unable", bytes);
        ASSERT_EQ(found.size(), 1U) << bytes;
        EXPECT_EQ(word(found[0].samples.status), "failed");
        all += found[0].samples.check.find("cannot be loaded") != std::string::npos ? 1U : 0U;
    }
    EXPECT_EQ(all, 3U) << "each row quotes the worker's last output";
}

TEST_F(Faults, FaultOfOneBenchmarkDoesNotAffectOthers) {
    const auto finished = place.run({"bench", "fake/crashes", "fake/unable", "fake/steady", "--quick"});
    EXPECT_EQ(finished.code, 1);
    const auto found = rows("fake/steady", 4096);
    EXPECT_EQ(found.size(), 6U);
    EXPECT_TRUE(
        std::all_of(found.begin(), found.end(), [](const auto& row) { return row.samples.status == Status::ok; }));
}

TEST_F(Faults, MissingWorkerIsRecorded) {
    std::filesystem::remove(place.workers / "tocuda-fake");
    driven::write(place.workers / "tocuda-fake.describe.jsonl",
                  "{\"kind\":\"worker\",\"protocol\":1}\n{\"kind\":\"benchmark\",\"name\":\"fake/"
                  "steady\",\"summary\":\"is made up\",\"clock\":\"host\","
                  "\"parameters\":{\"bytes\":[4096]},\"needs\":{\"gpus\":0}}\n");
    const auto finished = bench("fake/steady");
    EXPECT_EQ(finished.code, 1) << finished.err;
    ASSERT_EQ(rows("fake/steady", 4096).size(), 1U);
    EXPECT_NE(finished.out.find("was not started"), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace tocuda
