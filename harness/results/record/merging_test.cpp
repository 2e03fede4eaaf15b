// tocuda, Apache-2.0.
// The merged file does not depend on the order of the inputs, and is written completely or not at all.
#include "record/merging.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "record/made_up_file_test.hpp"
#include "record/result_folder_test.hpp"
#include "record/sections.hpp"
#include "record/verification.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

class Merging : public ResultFolder {
protected:
    // Returns the content of the merged file, or the error.
    std::string merged(const std::vector<filesystem::path>& files, unsigned threads = 1) {
        auto planned = plan_merge(files, threads);
        if (!planned) return planned.error().what;
        plan = *std::move(planned);
        const auto written = write_merged(plan, files, folder / "merged");
        return written ? content(folder / "merged") : written.error().what;
    }

    MergePlan plan;
};

// The section of one rank of a fleet; each rank has its own run id.
std::string rank(int number) {
    auto part = made_up::parts()[0];
    part.run.run = std::to_string(1000 + (number * 7919) % 9000) + "1111-2222-4333-8444-555555555555";
    part.measurements[0].samples.seconds[0] += number * 1e-6;
    return made_up::text(part);
}

TEST_F(Merging, FileOrderAndThreadCountDoNotMatter) {
    std::vector<filesystem::path> files;
    for (int i = 0; i < 20; ++i) files.push_back(write("rank" + std::to_string(i), rank(i)));
    files.push_back(write("two", made_up::text(made_up::parts())));
    files.push_back(write("copy", rank(3)));
    const auto first = merged(files);
    EXPECT_EQ(plan.sections.size(), 22U);
    EXPECT_EQ(plan.duplicates, 1);
    EXPECT_EQ(plan.rows, 21 * 4 + 2);
    std::reverse(files.begin(), files.end());
    EXPECT_EQ(merged(files, 3), first);
    std::rotate(files.begin(), files.begin() + 5, files.end());
    EXPECT_EQ(merged(files, 2), first);
    EXPECT_EQ(merged({folder / "merged"}), first) << "merging the merged file changes nothing";
}

TEST_F(Merging, CopiesSectionsByteForByteSortedByRun) {
    const auto one = rank(1);
    const auto two = rank(2);
    const auto text = merged({write("a", two), write("b", one)});
    EXPECT_TRUE(text == one + two || text == two + one) << text;
    EXPECT_EQ(text, merged({write("c", one + two)}));
    EXPECT_TRUE(verify_file(folder / "merged", made_up::now).value().good());
}

TEST_F(Merging, KeepsPartialSectionsWithAWarningAndDropsTornLines) {
    const auto whole = rank(2);
    const auto killed = rank(1).substr(0, rank(1).find(R"({"kind":"scenario")"));
    const auto text = merged({write("whole", whole), write("killed", killed + R"({"kind":"scen)")});
    EXPECT_TRUE(text == killed + whole || text == whole + killed) << text;
    ASSERT_EQ(plan.warnings.size(), 2U);
    EXPECT_NE(plan.warnings[0].find("has no end line: it is partial"), std::string::npos);
    EXPECT_NE(plan.warnings[1].find("killed:5: the last line is incomplete: the file was cut off"), std::string::npos);
    const auto read = read_recording(folder / "merged");
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_EQ(read->sections.size(), 2U);
}

TEST_F(Merging, WarnsAboutDifferingSectionsOfOneRun) {
    const auto cut = rank(1).substr(0, rank(1).find(R"({"kind":"scenario")"));
    merged({write("a", rank(1)), write("b", cut)});
    EXPECT_EQ(plan.sections.size(), 2U);
    EXPECT_TRUE(std::any_of(plan.warnings.begin(), plan.warnings.end(), [](const std::string& warning) {
        return warning.find("differs from the one in") != std::string::npos;
    }));
}

TEST_F(Merging, InvalidLineFailsAndLeavesTheOutputUnchanged) {
    write("merged", "before");
    const auto bad = write("bad", rank(1) + "garbage\n");
    EXPECT_EQ(merged({write("good", rank(2)), bad}, 2), bad.string() + ":7: not JSON");
    EXPECT_EQ(content(folder / "merged"), "before");
}

TEST_F(Merging, RefusesAnAlteredSection) {
    write("merged", "before");
    auto text = rank(1);
    text[text.find("0.0012")] = '9';
    const auto altered = write("altered", text);
    EXPECT_EQ(merged({write("good", rank(2)), altered}, 2),
              altered.string() + ":6: the checksum does not match: the section was altered or damaged");
    EXPECT_EQ(content(folder / "merged"), "before");
}

TEST_F(Merging, ReplacesNothingButAResultFile) {
    const auto file = write("a", rank(1));
    EXPECT_EQ(check_result_output(write("notes", "notes\n"), {file}).error().what,
              (folder / "notes").string() + ": exists and is not a result file, so it is not replaced");
    EXPECT_TRUE(check_result_output(write("empty", ""), {file}));
    EXPECT_TRUE(check_result_output(write("old", rank(2)), {file}));
    EXPECT_TRUE(check_result_output(folder / "new", {file}));
}

TEST_F(Merging, RefusesFilesThatChangeMeanwhile) {
    write("merged", "before");
    const auto file = write("a", rank(1));
    const auto planned = plan_merge({file}, 1).value();
    auto text = rank(1);
    text[text.find("0.0012")] = '9';
    write("a", text);
    EXPECT_EQ(write_merged(planned, {file}, folder / "merged").error().what,
              file.string() + ": changed while it was being merged");
    write("a", "short");
    EXPECT_EQ(write_merged(planned, {file}, folder / "merged").error().what,
              file.string() + ": changed while it was being merged");
    EXPECT_EQ(content(folder / "merged"), "before");
    EXPECT_EQ(std::distance(filesystem::directory_iterator(folder), filesystem::directory_iterator()), 2)
        << "the temporary file is removed";
}

TEST_F(Merging, RefusesInputFilesAsOutput) {
    const auto file = write("a", rank(1));
    filesystem::create_symlink(file, folder / "link");
    filesystem::create_directory(folder / "sub");
    EXPECT_NE(check_output(folder / "link", {file}).error().what.find("is one of the files to read"),
              std::string::npos);
    EXPECT_NE(check_output(folder / "sub", {file}).error().what.find("not a regular file"), std::string::npos);
    EXPECT_TRUE(check_output(folder / "new", {file}));
    EXPECT_NE(write_merged({}, {}, folder / "missing" / "out").error().what.find("No such file or directory"),
              std::string::npos);
}

}  // namespace
}  // namespace tocuda
