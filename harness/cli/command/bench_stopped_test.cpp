// tocuda, Apache-2.0.
// A measurement that is stopped midway keeps all its rows and is resumed in the same order.
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <set>

#include "command/driven_program_test.hpp"
#include "model/measurement.hpp"

namespace tocuda {
namespace {

const driven::Words measured{"fake/slow", "fake/steady", "fake/turns", "--bytes", "4KiB..256KiB", "--seed", "11"};

class StoppedBench : public testing::Test {
protected:
    StoppedBench() { place.add_fake_bench(); }

    // Starts a measurement and stops it with a signal once it has recorded some rows.
    driven::Finished stop(int signal, std::size_t lines = 8) {
        auto words = measured;
        words.insert(words.begin(), "bench");
        driven::Started program(driven::tocuda(), words, place, {{"FAKE_LOG", place.folder / "asked"}});
        EXPECT_TRUE(driven::until([&] {
            const auto files = place.files();
            return !files.empty() && driven::lines_in(driven::text_of(files[0])) >= lines;
        })) << "it did not record enough rows to be stopped";
        program.signal(signal);
        return program.wait();
    }
    driven::Finished resume(const driven::Words& more = {}) {
        driven::Words words{"bench", "--resume", place.files().at(0)};
        words.insert(words.end(), more.begin(), more.end());
        return place.run(words, {{"FAKE_LOG", place.folder / "asked_again"}});
    }
    static std::multiset<std::string> what(const std::vector<Section>& sections) {
        std::multiset<std::string> found;
        for (const auto& section : sections)
            for (const auto& one : section.measurements)
                found.insert(one.row.id + " round " + std::to_string(one.row.round));
        return found;
    }
    void change_first_line(const std::string& from, const std::string& to) const {
        const auto file = place.files().at(0);
        auto text = driven::text_of(file);
        const auto found = text.find(from);
        ASSERT_LT(found, text.find('\n')) << from;
        driven::write(file, text.replace(found, from.size(), to));
    }

    driven::Place place;
};

TEST_F(StoppedBench, CtrlCKeepsEveryFinishedRow) {
    const auto finished = stop(SIGINT);
    EXPECT_EQ(finished.code, 5) << finished.err;
    EXPECT_NE(finished.err.find("--resume"), std::string::npos) << finished.err;
    EXPECT_NE(finished.out.find("fake/"), std::string::npos) << "prints a table of the finished rows";
    EXPECT_NE(finished.out.find("stopped before the end"), std::string::npos) << "and says that it is incomplete:\n"
                                                                              << finished.out;
    const auto section = place.recording().sections.at(0);
    EXPECT_EQ(section.end.value_or(EndLine{}).status, "interrupted");
    EXPECT_EQ(section.end.value_or(EndLine{}).rows, static_cast<int>(section.measurements.size()));
    for (const auto& one : section.measurements) EXPECT_EQ(word(one.row.samples.status), "ok") << one.row.samples.check;
    EXPECT_NE(place.run({"judge", place.files().at(0)}).out.find("INCOMPLETE: stopped before the end"),
              std::string::npos);
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(StoppedBench, ResumeMeasuresWhatIsMissingAndNothingTwice) {
    stop(SIGINT);
    const auto finished = resume();
    EXPECT_EQ(finished.code, 0) << finished.err << finished.out;
    const auto recording = place.recording();
    ASSERT_EQ(recording.sections.size(), 2U);
    EXPECT_EQ(recording.sections[1].run.resumes, recording.sections[0].run.run);
    EXPECT_EQ(recording.sections[1].end.value_or(EndLine{}).status, "complete");
    const auto all = what(recording.sections);
    EXPECT_EQ(all.size(), 6U * (4 + 4 + 8));
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size())
        << "a set was measured twice in a round";
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(StoppedBench, ResumeKeepsOriginalOrder) {
    stop(SIGKILL);
    ASSERT_EQ(resume().code, 0);
    driven::Place other;
    other.add_fake_bench();
    auto words = measured;
    words.insert(words.begin(), "bench");
    ASSERT_EQ(other.run(words, {{"FAKE_LOG", other.folder / "asked"}}).code, 0);
    const auto unbroken = driven::text_of(other.folder / "asked");
    const auto rest = driven::text_of(place.folder / "asked_again");
    // The first resumed process may have fewer sets; all later ones are the same.
    const auto after_first = rest.substr(rest.find('\n') + 1);
    ASSERT_NE(after_first, "");
    EXPECT_TRUE(unbroken.ends_with(after_first)) << rest;
}

TEST_F(StoppedBench, ResumeContinuesProcessNumbers) {
    stop(SIGTERM);
    resume();
    const auto recording = place.recording();
    int most = -1;
    for (const auto& one : recording.sections.at(0).measurements) most = std::max(most, one.row.process);
    for (const auto& one : recording.sections.at(1).measurements) EXPECT_GT(one.row.process, most);
}

TEST_F(StoppedBench, RefusesToResumeAfterReboot) {
    stop(SIGINT);
    change_first_line("\"boot\":\"", "\"boot\":\"x");
    const auto finished = resume();
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_NE(finished.err.find("booted"), std::string::npos) << finished.err;
    EXPECT_EQ(place.recording().sections.size(), 1U);
}

TEST_F(StoppedBench, RefusesToResumeFileOfOtherVerb) {
    stop(SIGINT);
    change_first_line("\"verb\":\"bench\"", "\"verb\":\"run\"");
    const auto finished = resume();
    EXPECT_EQ(finished.code, 2) << finished.err;
    EXPECT_NE(finished.err.find("tocuda run"), std::string::npos) << finished.err;
}

TEST_F(StoppedBench, CompleteFileHasNothingMissing) {
    place.run({"bench", "fake/steady", "--quick"});
    const auto finished = resume();
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.err.find("nothing was missing"), std::string::npos) << finished.err;
    EXPECT_EQ(place.recording().sections.size(), 1U) << "nothing is written";
    EXPECT_NE(finished.out.find("4 KiB"), std::string::npos) << "the table shows the rows of the file";
}

}  // namespace
}  // namespace tocuda
