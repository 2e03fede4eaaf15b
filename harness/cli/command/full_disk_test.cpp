// tocuda, Apache-2.0.
// Tests runs whose disk fills up while they are recorded.
#include <gtest/gtest.h>

#include "command/driven_program_test.hpp"
#include "json_lines/lines.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

class FullDisk : public testing::Test {
protected:
    FullDisk() { place.add_faulty(); }

    driven::Finished run_with_room(std::size_t bytes) {
        return place.run({"run", "faulty/fine", "faulty/hang", "--jobs", "2", "--timeout", "100"}, on_disk_of(bytes));
    }
    driven::Variables on_disk_of(std::size_t bytes) const {
        return {{"LD_PRELOAD", driven::tests_folder() / "full_disk.so"},
                {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                {"FULL_DISK_FOLDER", place.results},
                {"FULL_DISK_BYTES", std::to_string(bytes)}};
    }
    // Returns the size of a run line here.
    std::size_t run_line_bytes() {
        driven::Place elsewhere;
        elsewhere.add_faulty();
        elsewhere.run({"run", "faulty/fine", "faulty/hang", "--jobs", "2", "--timeout", "0.1"});
        return driven::text_of(elsewhere.files().at(0)).find('\n') + 1;
    }

    driven::Place place;
};

TEST_F(FullDisk, MidRunStopsRunAndLeavesWholeLines) {
    const auto finished = run_with_room(run_line_bytes() + 100);
    EXPECT_EQ(finished.code, 5);
    EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
    EXPECT_NE(finished.err.find("No space left on device"), std::string::npos) << finished.err;
    const auto text = driven::text_of(place.files().at(0));
    EXPECT_EQ(driven::lines_in(text), 1U);
    EXPECT_TRUE(text.ends_with('\n'));
    EXPECT_EQ(place.recording().sections.at(0).rows.size(), 0U);
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(FullDisk, RunCanBeResumedOnceThereIsSpace) {
    run_with_room(run_line_bytes() + 100);
    const auto resumed = place.run({"run", "--resume", place.files().at(0), "--timeout", "1"});
    EXPECT_EQ(resumed.code, 1) << resumed.err;
    EXPECT_EQ(place.recording().sections.at(1).rows.size(), 2U);
}

TEST_F(FullDisk, AtRunLineIsReportedBeforeAnythingRunsAndLeavesNoFile) {
    const auto finished = run_with_room(50);
    EXPECT_EQ(finished.code, 4);
    EXPECT_NE(finished.err.find("No space left on device"), std::string::npos) << finished.err;
    EXPECT_EQ(place.files().size(), 0U);
}

TEST_F(FullDisk, FromStartIsReportedInOneLine) {
    const auto finished = run_with_room(0);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
    EXPECT_NE(finished.err.find("results/local: cannot be written: No space left on device"), std::string::npos)
        << finished.err;
}

TEST_F(FullDisk, UnderStandardOutputIsAnError) {
    place.add_fake_bench();
    place.run({"run", "faulty/fine"});
    const auto file = place.files().at(0).string();
    for (const auto& words :
         {std::string("list"), std::string("show faulty/fine"), std::string("run faulty/fine --quiet"),
          std::string("bench fake/steady --quick --quiet"), std::string("doctor"), "judge " + file,
          "compare " + file + " " + file, "report " + file + " --markdown", "report " + file + " -o page.html",
          "cite " + file + " 900-01 --json", "reproduce " + file + " --quiet", "verify " + file,
          "merge " + file + " -o merged.jsonl", std::string("completion zsh"), std::string("man"),
          std::string("help run"), std::string("--version")}) {
        const auto full =
            driven::Started("/bin/sh", {"-c", "exec " + driven::tocuda() + " " + words + " >/dev/full"}, place, {})
                .wait();
        EXPECT_EQ(full.code, 5) << words << full.err;
        EXPECT_NE(full.err.find("tocuda: cannot write to standard output: No space left on device\n"),
                  std::string::npos)
            << words << full.err;
    }
}

}  // namespace
}  // namespace tocuda
