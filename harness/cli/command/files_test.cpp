// tocuda, Apache-2.0.
// Tests what `tocuda verify` and `tocuda merge` print, and their exit codes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"
#include "record/made_up_file_test.hpp"

namespace tocuda {
namespace {

class Files : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const auto file = place.folder / name;
        driven::write(file, text);
        return file;
    }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

    driven::Place place;
    const std::string good = made_up::text(made_up::parts());
};

TEST_F(Files, WholeFileVerifiesAndShowsDigest) {
    const auto file = write("good.jsonl", good);
    const auto said = place.run({"verify", file});
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_TRUE(has(said.out, "  whole, unaltered: 0 problems in 6 rows of 2 sections\n")) << said.out;
    EXPECT_TRUE(has(said.out, "\n  citable: 1 of 3 rows and claims; another is not: too few: ")) << said.out;
    EXPECT_LE(driven::widest_line(said.out.substr(said.out.find('\n') + 1)), 80U) << said.out;
}

TEST_F(Files, FolderIsAllItsFilesInTheOrderOfTheirNames) {
    std::filesystem::create_directories(place.folder / "all/below");
    write("all/b.jsonl", good);
    write("all/below/c.jsonl", good);
    write("all/a.jsonl", good);
    const auto said = place.run({"verify", "all"});
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    const auto at = [&](const char* name) { return said.out.find(name); };
    EXPECT_LT(at("all/a.jsonl"), at("all/b.jsonl")) << said.out;
    EXPECT_LT(at("all/b.jsonl"), at("all/below/c.jsonl")) << said.out;
    EXPECT_TRUE(has(said.out, "all/below/c.jsonl\n  whole, unaltered")) << said.out;
    EXPECT_TRUE(said.out.ends_with("\n3 files: 3 verify\n")) << said.out;
    write("all/z.jsonl", good.substr(0, good.rfind("{\"kind\":\"end\"")));
    const auto torn = place.run({"verify", "all"});
    EXPECT_EQ(torn.code, 1) << "one of them is not whole";
    EXPECT_TRUE(torn.out.ends_with("\n4 files: 3 verify, 1 does not\n")) << torn.out;
    const auto missing = place.run({"verify", "all/a.jsonl", "missing.jsonl"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_TRUE(missing.out.ends_with("\n2 files: 1 verifies, 1 cannot be read\n")) << missing.out;
    EXPECT_FALSE(has(place.run({"verify", "all/a.jsonl"}).out, "1 file")) << "there is nothing to count";
    std::filesystem::create_directory(place.folder / "empty");
    EXPECT_TRUE(has(place.run({"verify", "empty"}).err, "no result files (*.jsonl) in this folder"));
}

TEST_F(Files, WithoutChecksumNothingIsCalledUnaltered) {
    const auto file = write("cut.jsonl", good.substr(0, good.rfind("{\"kind\":\"end\"")));
    const auto said = place.run({"verify", file});
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_TRUE(has(said.out, "  NOT WHOLE, no checksum tells if altered: ")) << said.out;
    const auto torn = place.run({"verify", write("torn.jsonl", good.substr(0, 100))});
    EXPECT_EQ(torn.code, 1) << torn.err;
    EXPECT_TRUE(has(torn.out, "  NOT WHOLE, no checksum tells if altered: ")) << torn.out;
}

TEST_F(Files, ProblemsAreListedByLineInTextAndJson) {
    auto text = good;
    text.replace(text.find("0.0012,"), 6, "0.0011");
    const auto file = write("bad.jsonl", text);
    const auto said = place.run({"verify", file});
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_TRUE(
        has(said.out, "  whole, ALTERED: 1 problem in 6 rows of 2 sections\n  line 6: the checksum does not match: "))
        << said.out;
    const auto document = place.run({"verify", file, "--json"});
    EXPECT_EQ(document.code, 1);
    for (const char* part : {R"("whole": true)", R"("unaltered": false)", R"("line": 6)", R"("citable": false)",
                             R"("because": "it does not verify")"})
        EXPECT_TRUE(has(document.out, part)) << part << " in " << document.out;
}

TEST_F(Files, SeveralFilesAreOneDocument) {
    write("good.jsonl", good);
    write("notes.txt", "notes\n");
    const auto said = place.run({"verify", "good.jsonl", "notes.txt", "good.jsonl", "--json"});
    EXPECT_EQ(said.code, 2);
    const auto files = nlohmann::json::parse(said.out).at("files");
    ASSERT_EQ(files.size(), 3U) << said.out;
    EXPECT_EQ(files[0]["file"], "good.jsonl");
    EXPECT_EQ(files[0]["whole"], true);
    EXPECT_EQ(files[1]["error"]["exit_code"], 2);
    EXPECT_EQ(files[2], files[0]);
}

TEST_F(Files, ImpossibleFileDoesNotVerify) {
    auto parts = made_up::parts();
    parts.at(0).measurements.at(0).process = parts.at(0).measurements.at(2).process + 1;
    const auto said = place.run({"verify", write("impossible.jsonl", made_up::text(parts))});
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_TRUE(has(said.out, "  whole, unaltered, but DOES NOT VERIFY: ")) << said.out;
}

TEST_F(Files, CitedDigestIsCompared) {
    const auto file = write("good.jsonl", good);
    const auto digits = good.substr(good.find(R"("sha256":")") + 10, 12);
    EXPECT_EQ(place.run({"verify", "--cited", digits, file}).code, 0);
    const auto other = place.run({"verify", "--cited", "0123456789ab", file});
    EXPECT_EQ(other.code, 1);
    EXPECT_TRUE(has(other.out, "no section has the cited digest (0123456789ab)")) << other.out;
    const auto wrong = place.run({"verify", "--cited", "0123", file});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(wrong.err, "tocuda: --cited needs at least the first 12 hexadecimal digits of a sha256\n");
}

TEST_F(Files, CitationThatFailsIsTheFirstProblem) {
    auto text = good;
    text.replace(text.find("0.0012,"), 6, "0.0011");
    const auto said = place.run({"verify", "--cited", "0123456789ab", write("bad.jsonl", text)}).out;
    EXPECT_LT(said.find("no section has the cited digest"), said.find("line 6: the checksum does not match")) << said;
}

// Finding the workers may take seconds: one that changed, or an installed LibTorch, must be asked.
TEST_F(Files, VerifyAsksNoWorkerWithoutVerdictsToJudgeAgain) {
    place.add_worker("tocuda-asked", "#!/bin/sh\ntouch " + (place.folder / "asked").string() + "\n");
    auto parts = made_up::parts();
    for (auto& part : parts) part.scenarios.clear();
    EXPECT_EQ(place.run({"verify", write("bench.jsonl", made_up::text(parts))}).code, 0);
    EXPECT_EQ(place.run({"verify", "missing.jsonl"}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(place.folder / "asked"));
    place.run({"list"});
    EXPECT_TRUE(std::filesystem::exists(place.folder / "asked"));
}

TEST_F(Files, VerifyReportsDamagedFirstLine) {
    const auto said = place.run({"verify", write("garbage.jsonl", "garbage\n{\"kind\":\"end\"}\n")});
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_NE(said.out.find("line 1: not JSON"), std::string::npos) << said.out;
}

TEST_F(Files, UnreadableFileIsOneLineAndExitCodeTwo) {
    const auto* no_record = ": not a result file: its lines are not those that run, bench and merge write";
    write("garbage.jsonl", "garbage\n");
    std::filesystem::create_directory(place.folder / "below");
    ASSERT_EQ(::mkfifo((place.folder / "pipe").c_str(), 0600), 0);
    for (const driven::Words& verb : {driven::Words{"verify"}, driven::Words{"merge", "-o", place.folder / "out"}})
        for (const auto& [name, what] :
             {std::pair{"garbage.jsonl", no_record},
              {"missing", ": No such file or directory"},
              {"pipe", ": not a regular file"},
              {"below",
               verb[0] == "merge" ? ": a folder, not a result file" : ": no result files (*.jsonl) in this folder"}}) {
            auto words = verb;
            words.push_back(place.folder / name);
            const auto said = place.run(words);
            EXPECT_EQ(said.code, 2) << said.out;
            EXPECT_EQ(said.err, "tocuda: " + (place.folder / name).string() + what + "\n");
            EXPECT_FALSE(std::filesystem::exists(place.folder / "out"));
        }
}

TEST_F(Files, VerdictsOfAnotherCommitAreNotJudgedAgain) {
    const auto said = place.run({"verify", write("good.jsonl", good)});
    EXPECT_TRUE(has(said.out, "were not judged again: ")) << said.out;
}

// A changed verdict is found despite a new checksum if the commit that gave it is built here; with uncommitted changes
// it cannot be.
TEST_F(Files, ChangedVerdictIsFound) {
    place.add_worker("tocuda-colour", driven::worker_script({driven::simple_scenario("colour/blue")}, "see key value"));
    place.run({"run", "colour/blue"});
    auto recording = place.recording();
    auto& section = recording.sections.at(0);
    const bool can_tell = section.run.suite.commit && !section.run.suite.dirty;
    const auto untouched = place.run({"verify", recording.file});
    EXPECT_EQ(untouched.code, 0) << untouched.out;
    EXPECT_EQ(has(untouched.out, "were not judged again"), !can_tell) << untouched.out;
    section.rows.at(0).row.claims.at(0).verdict = Verdict::refuted;
    const auto said = place.run(
        {"verify", write("changed.jsonl", made_up::text({.run = section.run, .scenarios = {section.rows.at(0).row}}))});
    EXPECT_EQ(said.code, can_tell ? 1 : 0) << said.out;
    const auto told = has(said.out,
                          "line 2: claim 901-01: recorded refuted (expected reproduced), but its judge\n    says "
                          "reproduced (expected reproduced)\n");
    EXPECT_EQ(told, can_tell) << said.out;
}

TEST_F(Files, MergedFilesVerify) {
    auto one = made_up::parts();
    one.pop_back();
    const auto first = write("first.jsonl", made_up::text(one));
    one[0].run.run.front() = '9';
    const auto second = write("second.jsonl", made_up::text(one));
    const auto merged = place.run({"merge", first, second, second, "-o", "fleet.jsonl", "--json"});
    EXPECT_EQ(merged.code, 0) << merged.err;
    for (const char* part : {R"("file": "fleet.jsonl")", R"("sections": 2)", R"("rows": 8)", R"("duplicates": 1)"})
        EXPECT_TRUE(has(merged.out, part)) << merged.out;
    EXPECT_EQ(driven::text_of(place.folder / "fleet.jsonl"), driven::text_of(first) + driven::text_of(second));
    EXPECT_EQ(place.run({"verify", "fleet.jsonl"}).code, 0);
    const auto again = place.run({"merge", first, "fleet.jsonl", "-o", "fleet.jsonl"});
    EXPECT_EQ(again.code, 2);
    EXPECT_EQ(again.err, "tocuda: fleet.jsonl: is one of the files to read\n");
}

TEST_F(Files, MissingOutputFolderIsUsageError) {
    const auto said = place.run({"merge", "missing.jsonl", "-o", "nowhere/fleet.jsonl"});
    EXPECT_EQ(said.code, 2);
    EXPECT_EQ(said.err, "tocuda: nowhere/fleet.jsonl: no such folder: nowhere\n");
}

TEST_F(Files, FullDiskLeavesOutputUnchanged) {
    const auto file = write("good.jsonl", good);
    std::filesystem::create_directory(place.folder / "full");
    const auto output = write("full/fleet.jsonl", good);
    const auto said = place.run({"merge", file, "-o", output}, {{"LD_PRELOAD", driven::tests_folder() / "full_disk.so"},
                                                                {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                                                {"FULL_DISK_FOLDER", place.folder / "full"},
                                                                {"FULL_DISK_BYTES", "1000"}});
    EXPECT_EQ(said.code, 2);
    EXPECT_TRUE(has(said.err, "the merged file cannot be written: No space left on device")) << said.err;
    EXPECT_EQ(driven::text_of(output), good);
    const std::filesystem::directory_iterator left(place.folder / "full");
    EXPECT_EQ(std::distance(begin(left), end(left)), 1) << "no other file is left";
}

}  // namespace
}  // namespace tocuda
