// tocuda, Apache-2.0.
// Tests that unusable workers and misbehaving judges are named, and that the others still do their work.
#include <gtest/gtest.h>

#include <fstream>

#include "command/driven_program_test.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

const std::vector<Scenario> steady{driven::simple_scenario("steady/one"), driven::simple_scenario("steady/two")};
const std::vector<Scenario> shaky{driven::simple_scenario("shaky/one")};

class Workers : public testing::Test {
protected:
    Workers() { place.add_worker("tocuda-steady", driven::worker_script(steady)); }

    // Runs everything, expects the steady worker's rows to be reproduced, and returns the reason in the shaky one's.
    std::string because_after_run(const driven::Words& more = {}) {
        driven::Words words{"run"};
        words.insert(words.end(), more.begin(), more.end());
        finished = place.run(words);
        const auto recording = place.recording();
        for (const auto& scenario : steady) {
            const auto* row = driven::find_row(recording, scenario.name);
            EXPECT_TRUE(row && row->claims.at(0).verdict == Verdict::reproduced) << scenario.name;
        }
        const auto* row = driven::find_row(recording, "shaky/one");
        if (!row) return finished.err;
        EXPECT_EQ(row->claims.at(0).verdict, Verdict::broken);
        return row->claims.at(0).because;
    }
    void expect(const std::string& because, const std::string& part) const {
        EXPECT_NE(because.find(part), std::string::npos) << because;
        EXPECT_EQ(finished.code, 1);
    }

    driven::Place place;
    driven::Finished finished;
};

TEST_F(Workers, UnexpectedVerdictIsAFinding) {
    auto wrong = driven::simple_scenario("shaky/one");
    for (auto& [claim, expected] : wrong.variants.at(0).expected) expected = Verdict::refuted;
    place.add_worker("tocuda-shaky", driven::worker_script({wrong}));
    finished = place.run({"run"});
    EXPECT_EQ(finished.code, 1);
    const auto recording = place.recording();
    const auto* row = driven::find_row(recording, "shaky/one");
    ASSERT_TRUE(row);
    EXPECT_TRUE(row->claims.at(0).unexpected());
}

TEST_F(Workers, MissingWorkerIsNamed) {
    place.describe("tocuda-shaky", shaky);
    expect(because_after_run(), "tocuda-shaky is missing");
}

TEST_F(Workers, NonExecutableWorkerIsNamed) {
    filesystem::permissions(place.add_worker("tocuda-shaky", driven::worker_script(shaky)),
                            filesystem::perms::owner_read);
    place.describe("tocuda-shaky", shaky);
    expect(because_after_run(), "tocuda-shaky cannot be executed");
}

TEST_F(Workers, InvalidProgramIsNotStarted) {
    place.add_worker("tocuda-shaky",
                     "\x7f"
                     "ELF and nothing else");
    place.describe("tocuda-shaky", shaky);
    expect(because_after_run(), "was not started");
}

TEST_F(Workers, WorkerOfAnotherProtocolIsNamedWithBothVersions) {
    place.add_faulty();
    place.variables["FAULTY_PROTOCOL"] = "2";
    expect(because_after_run(), "tocuda-faulty speaks protocol 2; this tocuda speaks protocol 1");
}

TEST_F(Workers, WorkerThatCrashesWhileDescribingIsNamed) {
    place.add_worker("tocuda-shaky", "#!/bin/sh\nkill -SEGV $$\n");
    expect(because_after_run(), "tocuda-shaky cannot describe itself: ended by signal 11 (SIGSEGV)");
}

TEST_F(Workers, WorkerWithTornDescriptionIsNamed) {
    place.add_worker("tocuda-shaky",
                     "#!/bin/sh\nprintf '{\"kind\":\"worker\",\"protocol\":1}\\n{\"kind\":\"scen' >&3\n");
    expect(because_after_run(), "tocuda-shaky cannot describe itself: half a line");
}

TEST_F(Workers, WorkerThatNoLongerDescribesItselfKeepsItsRows) {
    place.describe("tocuda-shaky", shaky);
    filesystem::last_write_time(place.workers / "tocuda-shaky.describe.jsonl",
                                filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    place.add_worker("tocuda-shaky", "#!/bin/sh\nexit 7\n");
    because_after_run();
    const auto recording = place.recording();
    EXPECT_TRUE(driven::find_row(recording, "shaky/one"));
}

struct Judge {
    std::string name;
    std::string script;
    std::string because;
};

class Judges : public Workers, public testing::WithParamInterface<Judge> {};

TEST_P(Judges, FailuresAffectOnlyTheirOwnRows) {
    place.add_worker("tocuda-shaky", driven::worker_script(shaky, "", GetParam().script));
    expect(because_after_run({"--timeout", "2"}), "the judge of tocuda-shaky " + GetParam().because);
    EXPECT_TRUE(place.nothing_runs());
}

INSTANTIATE_TEST_SUITE_P(
    Workers, Judges,
    testing::Values(Judge{"crash", "kill -SEGV $$", "ended by signal 11 (SIGSEGV)"},
                    Judge{"leave", "exit 3", "exit code 3"},
                    Judge{"hang", "exec sleep 1000", "did not answer within 2 s"},
                    Judge{"garbage", "echo this is not JSON >&3", "sent an invalid line: not JSON"},
                    Judge{"another_row", "name=steady/one; rule reproduced", "ruled on '901-01' of steady/one"},
                    Judge{"flood", "yes '{}' >&3", "sent an invalid line"}),
    [](const auto& test) { return test.param.name; });

TEST_F(Workers, JudgeThatRulesTwiceOnAClaimIsRejected) {
    auto scenario = shaky[0];
    scenario.claims.push_back({"901-02", "both are judged"});
    scenario.variants[0].expected["901-02"] = Verdict::reproduced;
    place.add_worker("tocuda-shaky", driven::worker_script({scenario}, "", "rule reproduced; rule refuted"));
    expect(because_after_run(), "ruled twice on '901-01'");
}

TEST_F(Workers, JudgeThatOutlivesItsInputIsStopped) {
    auto script = driven::worker_script(shaky);
    place.add_worker("tocuda-shaky", script.replace(script.rfind("done ;;"), 7, "done; exec sleep 1000 ;;"));
    const auto run = place.run({"run", "--timeout", "2"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(Workers, JudgeThatCrashesOnOneRowJudgesTheOthers) {
    place.add_worker("tocuda-steady",
                     driven::worker_script(steady, "", "[ $name = steady/one ] && kill -SEGV $$; rule reproduced"));
    const auto run = place.run({"run", "--jobs", "2"});
    const auto recording = place.recording();
    EXPECT_EQ(driven::find_row(recording, "steady/one")->claims.at(0).verdict, Verdict::broken);
    EXPECT_EQ(driven::find_row(recording, "steady/two")->claims.at(0).verdict, Verdict::reproduced);
}

TEST_F(Workers, ScenarioWithoutClaimsIsStillARow) {
    auto scenario = shaky[0];
    scenario.variants[0].expected.clear();
    place.add_worker("tocuda-shaky", driven::worker_script({scenario}));
    const auto run = place.run({"run", "--timeout", "2"});
    EXPECT_EQ(run.code, 0) << run.err;
    const auto recording = place.recording();
    EXPECT_TRUE(driven::find_row(recording, "shaky/one"));
}

// Returns a worker that leaves a note whenever it is started.
std::string noting(const driven::Place& place, const std::vector<Scenario>& scenarios) {
    auto script = driven::worker_script(scenarios);
    return script.replace(0, 10, "#!/bin/sh\necho \"$1\" >>" + (place.folder / "notes").string() + "\n");
}

TEST_F(Workers, ListStartsNoWorkerWithCurrentDescription) {
    place.add_worker("tocuda-shaky", noting(place, shaky));
    place.describe("tocuda-shaky", shaky);
    const auto listed = place.run({"list"});
    EXPECT_NE(listed.out.find("shaky/one"), std::string::npos) << listed.out;
    EXPECT_EQ(driven::text_of(place.folder / "notes"), "");
}

TEST_F(Workers, WorkerNewerThanItsDescriptionIsAskedOnce) {
    place.describe("tocuda-shaky", {driven::simple_scenario("shaky/old")});
    filesystem::last_write_time(place.workers / "tocuda-shaky.describe.jsonl",
                                filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    place.add_worker("tocuda-shaky", noting(place, shaky));
    const auto listed = place.run({"list"});
    EXPECT_NE(listed.out.find("shaky/one"), std::string::npos) << listed.out;
    EXPECT_EQ(listed.out.find("shaky/old"), std::string::npos) << listed.out;
    place.run({"list"});
    EXPECT_EQ(driven::text_of(place.folder / "notes"), "describe\n");
}

TEST_F(Workers, WaitingForSlowDescriptionIsReported) {
    auto script = driven::worker_script(shaky);
    place.add_worker("tocuda-shaky", script.replace(script.find("describe) "), 10, "describe) sleep 3; "));
    const auto listed = place.run({"list"});
    EXPECT_NE(listed.err.find("waiting for tocuda-shaky to describe itself"), std::string::npos) << listed.err;
    EXPECT_NE(listed.out.find("shaky/one"), std::string::npos) << listed.out;
    std::filesystem::remove(place.workers / "tocuda-shaky.describe.jsonl");
    EXPECT_EQ(place.run({"run", "--quiet"}).err, "");
}

TEST_F(Workers, UnwritableOutputFolderIsReportedBeforeAnyStart) {
    place.add_worker("tocuda-shaky", noting(place, shaky));
    place.describe("tocuda-shaky", shaky);
    driven::write(place.folder / "file", "x");
    for (const auto& folder : {std::string("file/below"), std::string("/proc")}) {
        const auto refused = place.run({"run", "shaky/one", "--output", folder});
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(driven::lines_in(refused.err), 1U) << refused.err;
        EXPECT_NE(refused.err.find(folder), std::string::npos) << refused.err;
    }
    EXPECT_EQ(driven::text_of(place.folder / "notes"), "");
}

// Two children that wait for each other end only if they run in parallel.
TEST_F(Workers, ChildrenRunInParallelUpToJobs) {
    place.add_worker("tocuda-steady", driven::worker_script(steady, "cd " + place.folder.string() + R"(
: >here.${2#*/}
until [ -e here.one ] && [ -e here.two ]; do sleep 0.02; done)"));
    EXPECT_EQ(place.run({"run", "--jobs", "2"}).code, 0);
}

TEST_F(Workers, OneJobRunsOneChildAtATime) {
    place.add_worker("tocuda-steady", driven::worker_script(steady, "cd " + place.folder.string() + R"(
mkdir alone || exit 1
sleep 0.2
rmdir alone)"));
    EXPECT_EQ(place.run({"run", "--jobs", "1"}).code, 0);
}

}  // namespace
}  // namespace tocuda
