// tocuda, Apache-2.0.
// Tests runs that are stopped in the middle: finished rows are in the file, nothing keeps running, --resume runs the
// rest.
#include <gtest/gtest.h>

#include <csignal>
#include <optional>

#include "command/driven_program_test.hpp"
#include "json_lines/lines.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

class Stopped : public testing::Test {
protected:
    Stopped() {
        std::filesystem::create_directory(temporary);
        place.variables["TMPDIR"] = temporary;
    }
    // Starts a run of one scenario that ends and one that does not, and waits until the first is recorded and the
    // second is running.
    void start(const std::string& endless = "faulty/hang", std::size_t processes_of_it = 1) {
        place.add_faulty();
        other = endless;
        program.emplace(driven::tocuda(),
                        driven::Words{"run", "faulty/fine", endless, "--timeout", "100", "--jobs", "2"}, place,
                        driven::Variables{});
        ASSERT_TRUE(driven::until([&] {
            const auto files = place.files();
            if (files.empty() || driven::lines_in(driven::text_of(files[0])) < 2) return false;
            std::size_t found = 0;
            for (const auto& one : place.processes())
                found += one.find("tocuda-faulty observe " + endless) != std::string::npos ? 1U : 0U;
            return found >= processes_of_it;
        })) << "the run did not reach the point where it is to be stopped";
    }
    driven::Finished resume() { return place.run({"run", "--resume", place.files().at(0), "--timeout", "1"}); }

    // Changes the run line of the only file.
    void change_run_line(const std::function<void(RunLine&)>& change) const {
        const auto file = place.files().at(0);
        const auto text = driven::text_of(file);
        auto run = *run_line(text.substr(0, text.find('\n')));
        change(run);
        driven::write(file, to_line(run) + text.substr(text.find('\n')));
    }
    void expect_refusal(const std::string& why) {
        const auto before = driven::text_of(place.files().at(0));
        const auto refused = resume();
        EXPECT_EQ(refused.code, 4);
        EXPECT_EQ(driven::lines_in(refused.err), 1U) << refused.err;
        EXPECT_NE(refused.err.find(why), std::string::npos) << refused.err;
        EXPECT_EQ(driven::text_of(place.files().at(0)), before);
    }

    driven::Place place;
    const std::filesystem::path temporary = place.folder / "temporary";
    std::string other;
    std::optional<driven::Started> program;
};

TEST_F(Stopped, CtrlCEndsRunAndKeepsFinishedRows) {
    start();
    program->signal_group(SIGINT);
    const auto finished = program->wait();
    EXPECT_EQ(finished.code, 5) << finished.err;
    EXPECT_NE(finished.err.find("--resume"), std::string::npos) << finished.err;
    EXPECT_NE(finished.out.find("stopped before the end"), std::string::npos) << "an incomplete table says so:\n"
                                                                              << finished.out;
    const auto recording = place.recording();
    const auto& section = recording.sections.at(0);
    ASSERT_TRUE(section.end);
    EXPECT_EQ(section.end->status, "interrupted");
    ASSERT_EQ(section.rows.size(), 1U);
    EXPECT_EQ(section.rows[0].row.name, "faulty/fine");
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(Stopped, SigtermActsLikeCtrlC) {
    start();
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait().code, 5);
    EXPECT_EQ(place.recording().sections.at(0).end.value_or(EndLine{}).status, "interrupted");
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(Stopped, SecondCtrlCEndsAtOnceAndLeavesNothingRunning) {
    start("faulty/stays_with_grandchild_in_own_session", 2);
    program->signal_group(SIGINT);
    program->signal_group(SIGTERM);
    EXPECT_EQ(program->wait().code, 5);
    EXPECT_EQ(place.recording().sections.at(0).rows.size(), 1U);
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(Stopped, SigquitActsLikeCtrlCAndLeavesNoTemporaryFolder) {
    start();
    ASSERT_FALSE(std::filesystem::is_empty(temporary));
    program->signal(SIGQUIT);
    EXPECT_EQ(program->wait().code, 5);
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Stopped, SecondCtrlCLeavesNoTemporaryFolder) {
    start("faulty/stays_with_grandchild_in_own_session", 2);
    program->signal_group(SIGINT);
    program->signal_group(SIGINT);
    program->wait();
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Stopped, NextStartRemovesTemporaryFolderOfKilledRun) {
    start();
    program->signal(SIGKILL);
    program->wait();
    ASSERT_FALSE(std::filesystem::is_empty(temporary));
    place.run({"run", "faulty/fine"});
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(Stopped, ClosedProgressPipeEndsNothing) {
    place.add_worker("tocuda-slow", driven::worker_script({driven::simple_scenario("slow/one")}, "sleep 3"));
    driven::Started("/bin/sh", {"-c", driven::tocuda() + " run slow/one 2>&1 >/dev/null | true"}, place, {}).wait();
    ASSERT_TRUE(
        driven::until([&] { return place.files().size() == 1 && place.recording().sections.at(0).end.has_value(); }));
    EXPECT_EQ(place.recording().sections.at(0).end.value_or(EndLine{}).status, "complete");
    EXPECT_TRUE(driven::until([&] { return std::filesystem::is_empty(temporary); }));
}

TEST_F(Stopped, KillEndsAllDescendants) {
    start("faulty/stays_with_grandchild_in_own_session", 2);
    program->signal(SIGKILL);
    EXPECT_EQ(program->wait().signal, SIGKILL);
    EXPECT_TRUE(place.nothing_runs());
    EXPECT_EQ(place.recording().sections.at(0).rows.size(), 1U);
}

TEST_F(Stopped, ResumeAfterKillRunsWhatIsMissing) {
    start();
    program->signal(SIGKILL);
    program->wait();
    const auto finished = resume();
    EXPECT_EQ(finished.code, 1) << finished.err;  // the one that hangs is broken at its deadline
    const auto recording = place.recording();
    ASSERT_EQ(recording.sections.size(), 2U);
    EXPECT_EQ(recording.sections[1].run.resumes, recording.sections[0].run.run);
    ASSERT_EQ(recording.sections[1].rows.size(), 1U);
    EXPECT_EQ(recording.sections[1].rows[0].row.name, other);
    EXPECT_EQ(recording.sections[1].end.value_or(EndLine{}).status, "complete");
    EXPECT_NE(finished.out.find("1 claim: 1 true; 1 unexpected"), std::string::npos) << "of both sections\n"
                                                                                     << finished.out;
    EXPECT_EQ(finished.out.find("stopped before the end"), std::string::npos) << finished.out;
    EXPECT_EQ(finished.err.find("nothing was missing"), std::string::npos) << finished.err;
    EXPECT_NE(resume().err.find("nothing was missing"), std::string::npos)
        << "resuming a finished file says that nothing was missing";
}

TEST_F(Stopped, TornRowIsSetAsideAndRunAgain) {
    start();
    program->signal(SIGINT);
    program->wait();
    const auto file = place.files().at(0);
    const auto text = driven::text_of(file);
    // Cut after the row's last brace: the rest of the line can be parsed, but was never finished.
    const auto cut = text.find('\n', text.find('\n') + 1);
    driven::write(file, text.substr(0, cut));
    resume();
    EXPECT_EQ(driven::text_of(file.string() + ".torn"), text.substr(text.find('\n') + 1, cut - text.find('\n')));
    const auto read = read_recording(file);
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_EQ(read->sections.at(1).rows.size(), 2U);
}

TEST_F(Stopped, RefusesToResumeFileStillBeingWritten) {
    start();
    expect_refusal("written by another");
}

TEST_F(Stopped, RefusesToResumeAfterReboot) {
    start();
    program->signal(SIGINT);
    program->wait();
    change_run_line([](RunLine& run) { run.boot = "00000000-0000-4000-8000-000000000000"; });
    expect_refusal("booted");
}

TEST_F(Stopped, RefusesToResumeWithAnotherBuild) {
    start();
    program->signal(SIGINT);
    program->wait();
    change_run_line([](RunLine& run) { run.suite.commit = "0123456789"; });
    expect_refusal("tocuda has changed");
}

TEST_F(Stopped, RefusesToResumeOnOtherGpus) {
    start();
    program->signal(SIGINT);
    program->wait();
    change_run_line([](RunLine& run) { run.gpus.push_back({.index = 7, .uuid = "GPU-0"}); });
    expect_refusal("GPUs");
}

TEST_F(Stopped, RefusesToResumeWithAnotherDriver) {
    start();
    program->signal(SIGINT);
    program->wait();
    change_run_line([](RunLine& run) { run.driver.kernel_module = "1.2.3"; });
    expect_refusal("driver");
}

TEST_F(Stopped, ResumingMissingFileIsUsageError) {
    const auto refused = place.run({"run", "--resume", "nowhere.jsonl"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err, "tocuda: nowhere.jsonl: No such file or directory\n");
}

}  // namespace
}  // namespace tocuda
