// tocuda, Apache-2.0.
// Tests what `tocuda report` writes, prints and refuses.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "command/driven_program_test.hpp"
#include "json_lines/documents.hpp"
#include "json_lines/lines.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ReportVerb : public testing::Test {
protected:
    ReportVerb() {
        place.add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one")}));
        const auto recorded = place.run({"run", "steady/one"});
        EXPECT_EQ(recorded.code, 0) << recorded.err;
        file = place.files().at(0);
    }

    driven::Place place;
    std::string file;
};

TEST_F(ReportVerb, WritesPageAndNamesIt) {
    const auto said = place.run({"report", file});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "report.html\n  1 run, ")) << said.out;
    const auto page = driven::text_of(place.folder / "report.html");
    for (const auto* part : {"<html", "901-01", "steady/one"}) EXPECT_TRUE(has(page, part)) << part;
    EXPECT_EQ(place.run({"report", file, "-o", "-"}).out, page);
}

TEST_F(ReportVerb, JsonNamesTheFileWritten) {
    const auto said = place.run({"report", file, "-o", "page.html", "--redact", "--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    const auto document = nlohmann::json::parse(said.out);
    EXPECT_EQ(document["file"], "page.html");
    EXPECT_EQ(document["bytes"], driven::text_of(place.folder / "page.html").size());
    EXPECT_EQ(document["runs"].size(), 1U);
    EXPECT_EQ(document["redacted"], true);
}

TEST_F(ReportVerb, DigestGoesToStandardOutput) {
    const auto said = place.run({"report", file, "--markdown"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(said.out.starts_with("**tocuda")) << said.out;
    EXPECT_TRUE(has(said.out, place.recording().sections.at(0).run.run)) << said.out;
    EXPECT_LE(driven::lines_in(said.out), 25U);
    EXPECT_FALSE(std::filesystem::exists(place.folder / "report.html"));
}

TEST_F(ReportVerb, TakesDocumentsOfReplayBesideResultFilesOrAlone) {
    const auto memory = place.folder / "memory.json";
    std::ofstream(memory) << replay_document({.torch = "2.15.0"});
    const auto both = place.run({"report", file, memory, "-o", "-"});
    EXPECT_EQ(both.code, 0) << both.err;
    for (const auto* part : {"<h2 id=memory>", "901-01"}) EXPECT_TRUE(has(both.out, part)) << part;
    EXPECT_TRUE(has(place.run({"report", memory}).out, "1 replay, "));
    EXPECT_TRUE(has(place.run({"report", memory, "--markdown"}).out, "memory.json"));
    std::ofstream(memory) << R"({"kind": "replay", "torch": 7})";
    const auto said = place.run({"report", memory});
    EXPECT_EQ(said.code, 2);
    EXPECT_TRUE(has(said.err, "memory.json: not a document of `replay --json`: ")) << said.err;
}

TEST_F(ReportVerb, FileGivenTwiceCountsOnce) {
    const auto said = place.run({"report", file, file});
    EXPECT_EQ(said.code, 0);
    EXPECT_TRUE(has(said.out, "1 run, ")) << said.out;
    EXPECT_TRUE(has(said.err, "given more than once; counted once")) << said.err;
}

TEST_F(ReportVerb, FolderIsItsResultFiles) {
    const auto folder = std::filesystem::path(file).parent_path();
    driven::write(folder / "log.jsonl", "not a result file\n");
    const auto said = place.run({"report", folder.string()});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "1 run, ")) << said.out;
    EXPECT_TRUE(has(said.err, "log.jsonl: skipped: not a result file")) << said.err;
}

TEST_F(ReportVerb, TwoFoldersAreTheTwoSides) {
    for (const auto* side : {"old", "new"}) {
        const auto recorded = place.run({"run", "steady/one", "--output", side});
        EXPECT_EQ(recorded.code, 0) << recorded.err;
    }
    const auto said = place.run({"report", "old", "new", "--markdown"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.out, "**changed** old to new: 1 verdict: 0 changed")) << said.out;
    EXPECT_FALSE(has(place.run({"report", "old", "--markdown"}).out, "**changed**"));
}

TEST_F(ReportVerb, SaysWhyTwoSidesAreNotComparedAndSkipsWhatWasAltered) {
    for (const auto* side : {"old", "new"}) std::filesystem::create_directory(place.folder / side);
    std::filesystem::copy(file, place.folder / "old/whole.jsonl");
    auto text = driven::text_of(file);
    text.replace(text.find(R"("because":")"), 11, R"("because":"altered )");
    driven::write(place.folder / "new/altered.jsonl", text);
    const auto digest = place.run({"report", "old", "new", "--markdown"});
    EXPECT_EQ(digest.code, 0) << digest.err;
    EXPECT_TRUE(has(digest.out, "old and new: nothing could be compared, because nothing was read on the new side"))
        << digest.out;
    EXPECT_TRUE(has(digest.err, "section skipped because it was altered")) << digest.err;
    const auto page = place.run({"report", "old", "new", "-o", "-"}).out;
    EXPECT_TRUE(has(page, "<b>old and new: nothing could be compared, because ")) << page;
    EXPECT_FALSE(has(page, "altered steady")) << page;
    EXPECT_EQ(place.run({"report", "new"}).code, 4);
}

TEST_F(ReportVerb, RefusesWhatItCannotReadOrWrite) {
    driven::write(place.folder / "notes.txt", "not a result file\n");
    std::filesystem::create_directory(place.folder / "empty");
    for (const auto& [words, why] : std::vector<std::pair<driven::Words, std::string>>{
             {{"report", "notes.txt"}, "notes.txt"},
             {{"report", "empty"}, "empty: no result files (*.jsonl) in this folder"},
             {{"report", "missing.jsonl"}, "missing.jsonl"},
             {{"report", file, "-o", "nowhere/page.html"}, "no such folder: nowhere"},
             {{"report", file, "-o", "."}, "not a regular file"},
             {{"report", file, "-o", "/dev/full"}, "not a regular file"},
             {{"report", file, "-o", file}, "is one of the files to read"},
             {{"report", file, "--markdown", "--json"}, "--json needs a file"},
             {{"report", file, "--start-noise", "much"}, "--start-noise"},
             {{"report"}, "FILE"}}) {
        const auto before = driven::text_of(file);
        const auto said = place.run(words);
        EXPECT_EQ(said.code, 2) << why << said.err;
        EXPECT_TRUE(has(said.err, why)) << said.err;
        EXPECT_EQ(driven::lines_in(said.err), 1U) << said.err;
        EXPECT_EQ(driven::text_of(file), before);
    }
    EXPECT_FALSE(std::filesystem::exists(place.folder / "report.html"));
}

TEST_F(ReportVerb, WritesNothingOfFilesWithoutRows) {
    const auto run = to_line(place.recording().sections.at(0).run) + "\n";
    Digest digest;
    digest.add(run);
    driven::write(place.folder / "empty.jsonl", run + to_line(EndLine{"complete", 0, digest.hex()}) + "\n");
    const auto said = place.run({"report", "empty.jsonl"});
    EXPECT_EQ(said.code, 4) << said.err;
    EXPECT_TRUE(has(said.err, "no rows in these files")) << said.err;
    EXPECT_FALSE(std::filesystem::exists(place.folder / "report.html"));
}

TEST_F(ReportVerb, FullDiskLeavesOldPageUnchanged) {
    std::filesystem::create_directory(place.folder / "full");
    driven::write(place.folder / "full/report.html", "before\n");
    const auto said =
        place.run({"report", file, "-o", "full/report.html"}, {{"LD_PRELOAD", driven::tests_folder() / "full_disk.so"},
                                                               {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                                               {"FULL_DISK_FOLDER", place.folder / "full"},
                                                               {"FULL_DISK_BYTES", "1000"}});
    EXPECT_EQ(said.code, 2) << said.err;
    EXPECT_TRUE(has(said.err, "cannot be written: No space left on device")) << said.err;
    EXPECT_EQ(driven::text_of(place.folder / "full/report.html"), "before\n");
}

}  // namespace
}  // namespace tocuda
