// tocuda, Apache-2.0.
// Tests `tocuda reproduce` with workers whose times and verdicts are made up.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto found = text.find(what); found != std::string::npos; found = text.find(what, found + by.size()))
        text.replace(found, what.size(), by);
    return text;
}

class Reproduce : public testing::Test {
protected:
    // Runs tocuda and returns its result file, in a folder of its own.
    std::string recorded(driven::Words words, const driven::Variables& more = {}) {
        words.insert(words.end(), {"--output", place.folder / "first"});
        const auto finished = place.run(words, more);
        EXPECT_EQ(finished.code, 0) << finished.err;
        for (const auto& entry : std::filesystem::directory_iterator(place.folder / "first")) return entry.path();
        return "";
    }
    nlohmann::json document(const std::string& file, int code, const driven::Variables& more = {}) {
        const auto finished = place.run({"reproduce", file, "--json"}, more);
        EXPECT_EQ(finished.code, code) << finished.err;
        return nlohmann::json::parse(finished.out);
    }

    driven::Place place;
};

TEST_F(Reproduce, RecordsEqualTimesAsInsideInNewFile) {
    place.add_fake_bench();
    const auto file = recorded({"bench", "fake/wandering", "--bytes", "4KiB,1MiB"});
    const auto answer = document(file, 0);
    ASSERT_EQ(answer.at("rows").size(), 2U);
    for (const auto& row : answer.at("rows")) {
        EXPECT_EQ(row.at("verdict"), "inside");
        EXPECT_LT(row.at("interval")[0].get<double>(), row.at("new").get<double>());
        EXPECT_GT(row.at("interval")[1].get<double>(), row.at("new").get<double>());
    }
    EXPECT_TRUE(answer.at("differs").empty()) << answer.at("differs");
    const auto recording = place.recording();
    EXPECT_EQ(recording.sections[0].run.seed, 2U);
    EXPECT_EQ(recording.sections[0].run.command, (driven::Words{"tocuda", "reproduce", file, "--json"}));
    auto plan = *read_recording(file).value().sections[0].run.plan;
    plan.seed = 2;
    EXPECT_EQ(*recording.sections[0].run.plan, plan);
}

TEST_F(Reproduce, ThreePercentSlowerIsOutside) {
    place.add_fake_bench();
    const auto answer =
        document(recorded({"bench", "fake/wandering", "--bytes", "4KiB"}), 1, {{"FAKE_FACTOR", "1.03"}});
    EXPECT_EQ(answer.at("rows")[0].at("verdict"), "outside");
}

TEST_F(Reproduce, CrashingRowIsOutside) {
    place.add_fake_bench();
    const auto file = recorded({"bench", "fake/steady", "--bytes", "64KiB"});
    const Parameters set{{"bytes", 65536}};
    const auto renamed = replaced(driven::text_of(file), "fake/steady", "fake/crashes");
    const auto id = [&](const char* name) { return row_id(name, set, Protocol{}.version); };
    driven::write(file, replaced(renamed, id("fake/steady"), id("fake/crashes")));
    const auto answer = document(file, 1);
    EXPECT_EQ(answer.at("rows")[0].at("verdict"), "outside");
    EXPECT_NE(answer.at("rows")[0].at("because").get<std::string>().find("crashed"), std::string::npos);
}

TEST_F(Reproduce, SimulatesAgainWhatWasSimulated) {
    const auto runtime = driven::tests_folder().parent_path() / "simulator/simulated/libcudart.so.13";
    if (!std::filesystem::exists(runtime)) GTEST_SKIP() << "this build cannot simulate GPUs";
    place.add_fake_bench();
    const auto finished = place.run(
        {"reproduce", recorded({"bench", "fake/on_gpu", "--bytes", "4KiB", "--simulate", "2x1GiB", "--gpus", "1"})});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(finished.out.starts_with("SIMULATED: ")) << finished.out;
    EXPECT_NE(finished.out.find("SIMULATED: 1 row: 1 inside, 0 outside, 0 skipped"), std::string::npos) << finished.out;
    EXPECT_LE(driven::widest_line(finished.out), 80U) << finished.out;
}

TEST_F(Reproduce, ComparesVerdictsClaimByClaim) {
    const std::vector known{driven::simple_scenario("test/one")};
    place.add_worker("tocuda-shell", driven::worker_script(known, "see key value", "rule ${WORD:-reproduced}"));
    const auto file = recorded({"run"});
    EXPECT_EQ(document(file, 0).at("rows")[0].at("verdict"), "inside");
    const auto changed = document(file, 1, {{"WORD", "refuted"}});
    EXPECT_EQ(changed.at("rows")[0].at("verdict"), "outside");
    EXPECT_EQ(changed.at("rows")[0].at("old"), "reproduced");
    EXPECT_EQ(changed.at("rows")[0].at("new"), "refuted");
}

TEST_F(Reproduce, SkipsClaimsNotDecidedNow) {
    const std::vector known{driven::simple_scenario("test/one")};
    place.add_worker("tocuda-shell",
                     driven::worker_script(known, "test -z \"$SLOW\" || sleep 30", "rule ${WORD:-reproduced}"));
    const auto file = recorded({"run"});
    const auto open = document(file, 4, {{"WORD", "inconclusive"}}).at("rows")[0];
    EXPECT_EQ(open.at("verdict"), "skipped");
    EXPECT_EQ(open.at("because"), "not decided now: so");
    const auto late = place.run({"reproduce", file, "--json", "--timeout", "0.5"}, {{"SLOW", "1"}});
    EXPECT_EQ(late.code, 4) << late.out << late.err;
    const auto row = nlohmann::json::parse(late.out).at("rows")[0];
    EXPECT_EQ(row.at("verdict"), "skipped");
    EXPECT_TRUE(row.at("because").get<std::string>().starts_with("not decided now: still ran at its deadline")) << row;
}

TEST_F(Reproduce, JoinsSectionsOfResumedRunInAnyOrder) {
    place.add_fake_bench();
    const std::string file = recorded({"bench", "fake/steady", "--bytes", "4KiB"});
    const auto text = driven::text_of(file);
    driven::write(file, text.substr(0, text.find('\n', text.find('\n') + 1) + 1));
    ASSERT_EQ(place.run({"bench", "--resume", file}).code, 0);
    const auto both = driven::text_of(file);
    const auto second = both.find("{\"kind\":\"run\"", 1);
    ASSERT_NE(second, std::string::npos);
    const auto turned = place.folder / "turned.jsonl";
    driven::write(turned, both.substr(second) + both.substr(0, second));
    EXPECT_EQ(document(turned, 0).at("rows").size(), 1U);
    const auto alone = place.folder / "alone.jsonl";
    driven::write(alone, both.substr(second));
    const auto finished = place.run({"reproduce", alone});
    EXPECT_EQ(finished.code, 2) << finished.out;
    EXPECT_NE(finished.err.find("resumes a run that is in another file"), std::string::npos) << finished.err;
}

TEST_F(Reproduce, RequiresRunIdIfFileHasSeveral) {
    place.add_fake_bench();
    const auto first = recorded({"bench", "fake/steady", "--bytes", "4KiB"});
    const auto text = driven::text_of(first);
    const auto run = read_recording(first).value().sections[0].run.run;
    const auto both = place.folder / "both.jsonl";
    driven::write(both, text + replaced(text, run, "00000000" + run.substr(8)));
    const auto unnamed = place.run({"reproduce", both});
    EXPECT_EQ(unnamed.code, 2) << unnamed.err;
    EXPECT_NE(unnamed.err.find("choose one with --run: " + run.substr(0, 8) + ", 00000000"), std::string::npos)
        << unnamed.err;
    EXPECT_EQ(place.run({"reproduce", both, "--run", run.substr(0, 8)}).code, 0);
}

TEST_F(Reproduce, RefusesOtherProtocolVersion) {
    place.add_fake_bench();
    const auto file = recorded({"bench", "fake/steady", "--bytes", "4KiB"});
    driven::write(file, replaced(driven::text_of(file), R"("version":2)", R"("version":7)"));
    const auto finished = place.run({"reproduce", file});
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_NE(finished.err.find("measured with protocol 7; this tocuda measures with 2"), std::string::npos)
        << finished.err;
    EXPECT_TRUE(place.files().empty());
}

TEST_F(Reproduce, DoesNothingIfNoWorkerHasBenchmark) {
    place.add_fake_bench();
    const auto file = recorded({"bench", "fake/steady", "--bytes", "4KiB"});
    driven::write(file, replaced(driven::text_of(file), "fake/steady", "gone/steady"));
    EXPECT_EQ(place.run({"reproduce", file}).code, 4);
}

TEST_F(Reproduce, RefusesMissingFile) {
    EXPECT_EQ(place.run({"reproduce", place.folder / "nothing.jsonl"}).code, 2);
    EXPECT_EQ(place.run({"reproduce"}).code, 2);
}

}  // namespace
}  // namespace tocuda
