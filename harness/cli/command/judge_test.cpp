// tocuda, Apache-2.0.
// Tests `tocuda judge` on recorded evidence.
#include <gtest/gtest.h>

#include <sstream>

#include "command/driven_program_test.hpp"
#include "json_lines/lines.hpp"
#include "model/row.hpp"
#include "record/made_up_file_test.hpp"

namespace tocuda {
namespace {

const std::vector<Scenario> scenarios{driven::simple_scenario("colour/blue"), driven::simple_scenario("colour/red")};
constexpr const char* judge = R"(case "$row" in *'"value":"blue"'*) rule reproduced ;; *) rule refuted ;; esac)";

class Judging : public testing::Test {
protected:
    Judging() {
        place.add_worker("tocuda-colour", driven::worker_script(scenarios, "see colour blue", judge));
        place.run({"run", "--jobs", "1"});
        file = place.files().at(0);
        text = driven::text_of(file);
    }
    // Rewrites the file with line `number` (from 1) changed.
    void change_line(std::size_t number, const std::function<std::string(const std::string&)>& change) const {
        std::string changed;
        std::size_t begin = 0;
        for (std::size_t line = 1; begin < text.size(); ++line) {
            const auto end = text.find('\n', begin);
            const auto one = text.substr(begin, end - begin);
            changed += (line == number ? change(one) : one) + "\n";
            begin = end + 1;
        }
        driven::write(file, changed);
    }
    static std::string with(const std::string& line, const std::function<void(Row&)>& change) {
        auto row = *row_line(line);
        change(row);
        return to_line(row);
    }

    driven::Place place;
    std::filesystem::path file;
    std::string text;
};

TEST_F(Judging, SameEvidenceGivesSameVerdicts) {
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 0) << judged.err;
    EXPECT_EQ(judged.out.find(": was "), std::string::npos) << judged.out;
    EXPECT_EQ(driven::text_of(file), text);
}

TEST_F(Judging, OfAFolderItsResultFilesAreJudged) {
    driven::write(file.parent_path() / "other.jsonl", "{}\n");
    const auto judged = place.run({"judge", file.parent_path()});
    EXPECT_EQ(judged.code, 0) << judged.err;
    EXPECT_EQ(judged.out, place.run({"judge", file}).out);
    EXPECT_NE(judged.err.find("other.jsonl: skipped: not a result file"), std::string::npos) << judged.err;
}

TEST(JudgingAnExample, SaysNothingOfVerdicts) {
    driven::Place place;
    auto example = driven::simple_scenario("documents/009_1");
    example.claims.clear();
    example.variants.front().expected.clear();
    example.code = {"import torch"};
    // The judge has no claim to rule on.
    const auto* rules = R"(case "$name" in documents/*) ;; *) rule reproduced ;; esac)";
    place.add_worker("tocuda-colour", driven::worker_script({example, scenarios.front()}, "see colour blue", rules));
    const auto all = place.run({"run", "--output", "all"});
    EXPECT_EQ(all.out.find("example"), std::string::npos) << "run alone leaves it out\n" << all.out;
    const auto ran = place.run({"run", "009-1", "--output", "one"});
    EXPECT_NE(ran.out.find("1 example of the documents"), std::string::npos) << ran.out << ran.err;
    for (const auto* verb : {"judge", "verify"}) {
        const auto recorded = std::filesystem::directory_iterator(place.folder / "one")->path().string();
        const auto done = place.run({verb, recorded});
        EXPECT_EQ(done.code, 0) << verb << done.err;
        EXPECT_EQ((done.out + done.err).find("no worker has"), std::string::npos) << verb << done.out << done.err;
    }
}

TEST_F(Judging, ChangedEvidenceChangesVerdict) {
    change_line(2, [](const auto& line) {
        return with(line, [](Row& row) { row.evidence.observations.at(0).value = std::string("red"); });
    });
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 1);
    EXPECT_NE(judged.out.find("  colour/blue 901-01: was true, is false (default)\n"), std::string::npos) << judged.out;
    EXPECT_EQ(judged.out.find("colour/red default 901-01: was"), std::string::npos) << judged.out;
}

TEST_F(Judging, VerdictsThatOtherVersionsGaveAreComparedAsThisOneJudges) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    made_up::Part part{.run = *run_line(line)};
    while (std::getline(lines, line))
        if (const auto row = row_line(line)) part.scenarios.push_back(*row);
    ASSERT_EQ(part.scenarios.size(), scenarios.size());
    driven::write(place.folder / "old.jsonl", made_up::text(part));
    part.run.run = "33333333-2222-4333-8444-555555555555";
    part.scenarios.front().claims.front().verdict = Verdict::refuted;
    driven::write(place.folder / "same.jsonl", made_up::text(part));
    part.run.suite.commit = std::string(40, 'd');
    driven::write(place.folder / "other.jsonl", made_up::text(part));
    const auto same = place.run({"compare", "old.jsonl", "same.jsonl"});
    EXPECT_NE(same.out.find("901-01: true -> false"), std::string::npos) << same.out << same.err;
    const auto other = place.run({"compare", "old.jsonl", "other.jsonl"});
    EXPECT_EQ(other.code, 0) << other.out;
    EXPECT_NE(other.out.find("2 verdicts: 0 changed"), std::string::npos) << other.out << other.err;
}

TEST_F(Judging, CrashedRowIsBroken) {
    change_line(
        2, [](const auto& line) { return with(line, [](Row& row) { row.evidence.outcome = {"signal", 11, 1}; }); });
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 1);
    EXPECT_NE(judged.out.find("is broken"), std::string::npos) << judged.out;
}

TEST_F(Judging, NewClaimWasNotJudgedBefore) {
    change_line(2, [](const auto& line) { return with(line, [](Row& row) { row.claims.clear(); }); });
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 0) << judged.err;
    EXPECT_NE(judged.out.find("  colour/blue 901-01: was not judged, is true (default)\n"), std::string::npos)
        << judged.out;
}

TEST_F(Judging, ComparesEachFileWithItself) {
    const auto other = place.folder / "other.jsonl";
    driven::write(other, text);
    change_line(
        2, [](const auto& line) { return with(line, [](Row& row) { row.claims.at(0).verdict = Verdict::refuted; }); });
    const auto judged = place.run({"judge", other, file});
    const auto change = std::string("  colour/blue 901-01: was false, is true (default)\n");
    const auto first = judged.out.find(change);
    ASSERT_NE(first, std::string::npos) << judged.out;
    EXPECT_EQ(judged.out.find(": was ", first + change.size()), std::string::npos) << judged.out;
}

TEST_F(Judging, NamesScenarioThatNoWorkerHas) {
    change_line(2, [](const auto& line) { return with(line, [](Row& row) { row.name = "colour/green"; }); });
    const auto judged = place.run({"judge", file});
    EXPECT_NE(judged.err.find("colour/green"), std::string::npos) << judged.err;
}

TEST_F(Judging, StopsHangingJudge) {
    place.add_worker("tocuda-colour", driven::worker_script(scenarios, "", "exec sleep 1000"));
    const auto judged = place.run({"judge", file, "--timeout", "1"}, {{"COLUMNS", "140"}});
    EXPECT_EQ(judged.code, 1);
    EXPECT_NE(judged.out.find("did not answer within 1 s"), std::string::npos) << judged.out;
    EXPECT_TRUE(place.nothing_runs());
}

TEST_F(Judging, NamesFileAndLineOfDamage) {
    change_line(3, [](const auto& line) { return line.substr(0, line.size() / 2); });
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 2);
    EXPECT_EQ(judged.err, "tocuda: " + file.string() + ":3: not JSON\n");
    EXPECT_EQ(judged.out, "");
}

TEST_F(Judging, WarnsOfTornLastLine) {
    driven::write(file, text.substr(0, text.size() - 10));
    const auto judged = place.run({"judge", file});
    EXPECT_EQ(judged.code, 0);
    EXPECT_NE(judged.err.find(file.string() + ":4: the last line is incomplete: the file was cut off"),
              std::string::npos)
        << judged.err;
}

TEST_F(Judging, RefusesOtherFiles) {
    for (const auto* path : {"/dev/null", "/", "nowhere"}) {
        const auto judged = place.run({"judge", path});
        EXPECT_EQ(judged.code, 2) << path;
        EXPECT_EQ(driven::lines_in(judged.err), 1U) << judged.err;
    }
}

}  // namespace
}  // namespace tocuda
