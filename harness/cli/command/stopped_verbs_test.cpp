// tocuda, Apache-2.0.
// Both verbs run on one engine: the same interruptions end them in the same way.
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <optional>

#include "command/driven_program_test.hpp"
#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

struct Verbal {
    std::string verb;
    driven::Words words;
};

class StoppedVerb : public testing::TestWithParam<Verbal> {
protected:
    StoppedVerb() {
        std::filesystem::create_directory(temporary);
        place.variables["TMPDIR"] = temporary;
        place.add_faulty();
        place.add_fake_bench();
    }
    // Starts the verb and waits until it has recorded a row and a child is running.
    void start(const driven::Variables& more = {}) {
        program.emplace(driven::tocuda(), GetParam().words, place, more);
        ASSERT_TRUE(driven::until([&] {
            const auto files = place.files();
            return !files.empty() && driven::lines_in(driven::text_of(files[0])) >= 2 && children() > 0;
        })) << "it did not reach the point where it is to be stopped";
    }
    // Stops the verb midway and changes the run line of its file. Returns the file.
    std::string stop_and_change(const std::function<void(RunLine&)>& change) {
        start();
        program->signal(SIGINT);
        program->wait();
        const auto file = place.files().at(0);
        const auto text = driven::text_of(file);
        auto run = *run_line(text.substr(0, text.find('\n')));
        change(run);
        driven::write(file, to_line(run) + text.substr(text.find('\n')));
        return file;
    }
    std::size_t children() const {
        std::size_t found = 0;
        for (const auto& one : place.processes())
            found += one.find(" observe ") != std::string::npos || one.find(" measure ") != std::string::npos ? 1U : 0U;
        return found;
    }
    std::size_t rows() const {
        const auto recording = place.recording();
        const auto& section = recording.sections.at(0);
        return section.rows.size() + section.measurements.size();
    }
    void expect_interrupted(const driven::Finished& finished) {
        EXPECT_EQ(finished.code, 5) << finished.err;
        EXPECT_NE(finished.err.find("--resume"), std::string::npos) << finished.err;
        const auto end = place.recording().sections.at(0).end.value_or(EndLine{});
        EXPECT_EQ(end.status, "interrupted");
        EXPECT_EQ(static_cast<std::size_t>(end.rows), rows());
        EXPECT_GE(rows(), 1U);
        EXPECT_TRUE(place.nothing_runs());
        EXPECT_TRUE(std::filesystem::is_empty(temporary));
    }

    driven::Place place;
    const std::filesystem::path temporary = place.folder / "temporary";
    std::optional<driven::Started> program;
};

TEST_P(StoppedVerb, RecordsWhatWasFinishedOnEachSignal) {
    for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
        std::filesystem::remove_all(place.results);
        start();
        program->signal(signal);
        expect_interrupted(program->wait());
    }
}

TEST_P(StoppedVerb, SecondSignalEndsAtOnceAndLeavesNothing) {
    start();
    program->signal_group(SIGINT);
    program->signal_group(SIGTERM);
    EXPECT_EQ(program->wait().code, 5);
    EXPECT_TRUE(place.nothing_runs());
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_P(StoppedVerb, KillEndsAllChildrenAndKeepsRows) {
    start();
    program->signal(SIGKILL);
    EXPECT_EQ(program->wait().signal, SIGKILL);
    EXPECT_TRUE(place.nothing_runs());
    EXPECT_GE(rows(), 1U);
}

TEST_P(StoppedVerb, RefusesToResumeWithoutPlan) {
    const auto file = stop_and_change([](RunLine& run) {
        EXPECT_TRUE(run.plan);
        run.plan.reset();
    });
    for (const auto& words : {driven::Words{GetParam().verb, "--resume", file}, driven::Words{"reproduce", file}}) {
        const auto refused = place.run(words);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_NE(refused.err.find("no plan"), std::string::npos) << refused.err;
    }
    EXPECT_NE(place.run({"verify", file}).code, 2) << "it is still read by other verbs";
}

TEST_P(StoppedVerb, ResumesPlanWhateverTheCommandLineSays) {
    const auto file = stop_and_change([](RunLine& run) { run.command = {"not", "a", "command line"}; });
    const auto resumed = place.run({GetParam().verb, "--resume", file, "--timeout", "20"});
    EXPECT_LE(resumed.code, 1) << resumed.err;
    const auto recording = place.recording();
    ASSERT_EQ(recording.sections.size(), 2U);
    EXPECT_EQ(recording.sections[1].end.value_or(EndLine{}).status, "complete");
    EXPECT_GE(recording.sections[1].rows.size() + recording.sections[1].measurements.size(), 1U);
}

TEST_P(StoppedVerb, FullDiskStopsItAndLeavesWholeLines) {
    start();
    program->signal(SIGINT);
    program->wait();
    const auto run_line_bytes = driven::text_of(place.files().at(0)).find('\n') + 1;
    std::filesystem::remove_all(place.results);
    const auto finished = place.run(GetParam().words, {{"LD_PRELOAD", driven::tests_folder() / "full_disk.so"},
                                                       {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                                       {"FULL_DISK_FOLDER", place.results},
                                                       {"FULL_DISK_BYTES", std::to_string(run_line_bytes + 100)}});
    EXPECT_EQ(finished.code, 5) << finished.err;
    EXPECT_NE(finished.err.find("No space left on device"), std::string::npos) << finished.err;
    EXPECT_TRUE(driven::text_of(place.files().at(0)).ends_with('\n'));
    EXPECT_EQ(rows(), 0U);
    EXPECT_TRUE(place.nothing_runs());
}

INSTANTIATE_TEST_SUITE_P(
    Survives, StoppedVerb,
    testing::Values(Verbal{"run", {"run", "faulty/fine", "faulty/hang", "--timeout", "100", "--jobs", "2"}},
                    Verbal{"bench", {"bench", "fake/slow", "fake/steady", "--bytes", "4KiB..256KiB"}}),
    [](const auto& one) { return one.param.verb; });

}  // namespace
}  // namespace tocuda
