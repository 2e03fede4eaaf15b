// tocuda, Apache-2.0.
// Tests that `tocuda judge` prints of a file of measurements what `tocuda bench` printed when it wrote it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"
#include "record/made_up_file_test.hpp"

namespace tocuda {
namespace {

class JudgeMeasured : public testing::Test {
protected:
    JudgeMeasured() { place.add_fake_bench(); }

    nlohmann::json document(driven::Words words, int code = 0) {
        words.push_back("--json");
        const auto finished = place.run(words);
        EXPECT_EQ(finished.code, code) << finished.err;
        return nlohmann::json::parse(finished.out);
    }
    // Files do not record why a row got no more processes.
    static nlohmann::json without_stops(nlohmann::json document) {
        for (auto& row : document["rows"]) row.erase("stopped");
        return document;
    }
    std::filesystem::path made_up_file(const std::string& name, const std::vector<made_up::Part>& parts) {
        driven::write(place.folder / name, made_up::text(parts));
        return place.folder / name;
    }

    driven::Place place;
};

TEST_F(JudgeMeasured, PrintsSameDocumentAsBench) {
    const auto measured = document({"bench", "fake/steady", "fake/turns", "fake/flagged"});
    const auto judged = document({"judge", measured["file"].get<std::string>()});
    EXPECT_GT(measured["rows"].size(), 4U);
    EXPECT_FALSE(measured["fits"].empty());
    EXPECT_FALSE(measured["taxes"].empty());
    EXPECT_EQ(judged, without_stops(measured));
}

TEST_F(JudgeMeasured, ReportsFindingsAgain) {
    const auto measured = document({"bench", "fake/wrong", "--quick"}, 1);
    EXPECT_EQ(document({"judge", measured["file"].get<std::string>()}, 1), without_stops(measured));
}

TEST_F(JudgeMeasured, PrintsSameTableAsBench) {
    const auto bench = place.run({"bench", "fake/steady"});
    const auto judge = place.run({"judge", place.files().at(0)});
    EXPECT_EQ(judge.code, 0) << judge.err;
    const auto from = bench.out.find("  steady ");
    ASSERT_NE(from, std::string::npos) << bench.out;
    const auto row = bench.out.substr(from, bench.out.find("start-up") - from);
    EXPECT_NE(judge.out.find(row), std::string::npos) << judge.out;
    EXPECT_LE(driven::widest_line(judge.out), 80U) << judge.out;
}

TEST_F(JudgeMeasured, JoinsResumedSectionsIntoOneRun) {
    const auto file = made_up_file("resumed.jsonl", made_up::parts());
    const auto found = document({"judge", file});
    ASSERT_EQ(found["runs"].size(), 1U);
    EXPECT_EQ(found["about"]["resumes"], "11111111-2222-4333-8444-555555555555");
    for (const auto& row : found["rows"]) EXPECT_EQ(row["run"], found["run"]);
}

TEST_F(JudgeMeasured, RowsOfSeveralFilesNameTheirRun) {
    const auto first = made_up_file("first.jsonl", {{made_up::run(), {made_up::measurement(0, 1)}, {}}});
    const auto other = "33333333-2222-4333-8444-555555555555";
    const auto second =
        made_up_file("second.jsonl", {{made_up::run(other), {made_up::measurement(0, 1)}, {made_up::scenario()}}});
    const auto found = document({"judge", first, second, first});
    ASSERT_EQ(found["runs"].size(), 2U);
    EXPECT_EQ(found["runs"][0]["files"], nlohmann::json{first});
    EXPECT_EQ(found["runs"][1]["about"]["run"], other);
    ASSERT_EQ(found["rows"].size(), 2U) << "a file that is given twice counts once";
    EXPECT_EQ(found["rows"][0]["run"], made_up::run().run);
    EXPECT_EQ(found["rows"][1]["run"], other);
    EXPECT_EQ(found["scenarios"].at(0)["run"], other);
    EXPECT_EQ(found["runs"][1]["claims"].at(0)["id"], "000-04");
}

TEST_F(JudgeMeasured, SaysSimulatedFirst) {
    auto run = made_up::run();
    run.device = Device::simulated;
    const auto judged =
        place.run({"judge", made_up_file("simulated.jsonl", {{run, {made_up::measurement(0, 1)}, {}}})});
    EXPECT_TRUE(judged.out.starts_with("SIMULATED: ")) << judged.out;
}

TEST_F(JudgeMeasured, ReportsFileWithoutRows) {
    const auto file = made_up_file("empty.jsonl", {{made_up::run(), {}, {}}});
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 4);
    EXPECT_EQ(judged.err, "tocuda: no rows in " + file.string() + "\n");
    EXPECT_EQ(judged.out, "");
    EXPECT_EQ(document({"judge", file}, 4)["runs"].size(), 1U);
}

}  // namespace
}  // namespace tocuda
