// tocuda, Apache-2.0.
// `bench --against` on two builds with invented times: it finds what is slower and raises no alarm for equal builds.
#include "command/bench_against.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "command/driven_program_test.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

class BenchAgainst : public testing::Test {
protected:
    BenchAgainst() { place.add_fake_bench(); }

    // Makes a build in a folder: this tocuda, and the fake worker with its times multiplied by a factor.
    std::filesystem::path build(const std::string& name, const std::string& factor, const std::string& version = "") {
        const auto folder = place.folder / name;
        std::filesystem::create_directories(folder);
        if (version.empty()) std::filesystem::create_symlink(driven::tocuda(), folder / "tocuda");
        else script(folder / "tocuda", "echo '" + version + "'");
        script(folder / "tocuda-fake", "FAKE_FACTOR=" + factor + " exec " +
                                           (driven::tests_folder() / "fake_bench/tocuda-fake").string() + " \"$@\"");
        return folder;
    }
    static void script(const std::filesystem::path& file, const std::string& text) {
        driven::write(file, "#!/bin/sh\n" + text + "\n");
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }
    driven::Finished against(const std::filesystem::path& other, driven::Words more = {},
                             const std::string& benchmark = "fake/wandering") {
        driven::Words words{"bench", benchmark, "--bytes", "4KiB,1MiB", "--jobs", "1", "--against", other};
        words.insert(words.end(), more.begin(), more.end());
        return place.run(words);
    }
    // The sections of both files, this build's first.
    std::vector<Section> sections() const {
        std::vector<Section> all;
        for (const auto& file : place.files()) all.push_back(read_recording(file).value().sections.at(0));
        return all;
    }

    driven::Place place;
};

TEST_F(BenchAgainst, ReportsSlowerIfOtherBuildIsThreePercentFaster) {
    const auto finished = against(build("other", "0.970873"), {"--json"});
    ASSERT_EQ(finished.code, 1) << finished.err;
    const auto rows = nlohmann::json::parse(finished.out).at("against").at("rows");
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& row : rows) {
        EXPECT_EQ(row.at("verdict"), "slower");
        EXPECT_NEAR(row.at("change").get<double>(), 0.03, 0.003);
        EXPECT_EQ(row.at("old").at("processes"), 14);
        EXPECT_EQ(row.at("new").at("processes"), 14);
    }
}

TEST_F(BenchAgainst, ReportsFasterIfOtherBuildIsSlower) {
    const auto finished = against(build("other", "1.03"));
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("faster"), std::string::npos) << finished.out;
}

TEST_F(BenchAgainst, StopsAfterSixRoundsIfBuildsAreEqual) {
    const auto finished = against(build("other", "1"));
    EXPECT_EQ(finished.code, 0) << finished.err;
    for (const auto& section : sections()) {
        EXPECT_EQ(section.measurements.size(), 12U);
        EXPECT_EQ(section.end->status, "complete");
    }
    EXPECT_LE(driven::widest_line(finished.out.substr(0, finished.out.find("recorded in"))), 80U) << finished.out;
}

TEST_F(BenchAgainst, BothFilesHaveSameRoundsAndProcesses) {
    against(build("other", "0.97"));
    const auto both = sections();
    ASSERT_EQ(both.size(), 2U);
    std::vector<std::set<std::pair<int, int>>> numbers(2);
    for (std::size_t side = 0; side < 2; ++side)
        for (const auto& one : both[side].measurements) numbers[side].insert({one.row.round, one.row.process});
    EXPECT_EQ(numbers[0], numbers[1]);
    EXPECT_EQ(numbers[0].size(), 20U);
    EXPECT_NE(both[0].run.run, both[1].run.run);
    EXPECT_EQ(both[0].run.session, both[1].run.session);
}

TEST_F(BenchAgainst, EachFileNamesItsBuild) {
    against(build("other", "1", R"({"version":"0.0.7","commit":"0123456789ab","dirty":true,"protocol":2})"));
    std::set<std::string> versions;
    for (const auto& section : sections()) versions.insert(section.run.suite.version);
    EXPECT_TRUE(versions.contains("0.0.7"));
    EXPECT_EQ(versions.size(), 2U);
}

TEST_F(BenchAgainst, FindsBuildBelowRootOfClone) {
    build("clone/build/default", "1");
    EXPECT_EQ(against(place.folder / "clone").code, 0);
}

TEST_F(BenchAgainst, RefusesFolderWithoutBuild) {
    const auto finished = against(place.folder / "nowhere");
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
    EXPECT_NE(finished.err.find("there is no tocuda"), std::string::npos) << finished.err;
    EXPECT_NE(against(build("mute", "1", "hello")).err.find("does not report a version"), std::string::npos);
}

TEST_F(BenchAgainst, RefusesOtherProtocol) {
    const auto finished = against(build("other", "1", R"({"version":"9","dirty":false,"protocol":99})"));
    EXPECT_EQ(finished.code, 2);
    EXPECT_NE(finished.err.find("it measures by protocol 99, this build by 2"), std::string::npos) << finished.err;
    // Builds that print a sentence instead of a document are older than protocol 2.
    const auto older = against(build("older", "1", "tocuda 0.0.7 (0123456789ab, with changes)"));
    EXPECT_NE(older.err.find("it measures by protocol 1, this build by 2"), std::string::npos) << older.err;
}

TEST_F(BenchAgainst, WrongResultMakesRowInvalid) {
    const auto finished = place.run(
        {"bench", "fake/wrong", "--bytes", "64KiB", "--jobs", "1", "--against", build("other", "1"), "--json"});
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_EQ(nlohmann::json::parse(finished.out).at("against").at("rows")[0].at("verdict"), "invalid");
}

TEST_F(BenchAgainst, FullDiskStopsItAndKeepsBothFiles) {
    const auto other = build("other", "1");
    against(other);
    const auto bytes = std::filesystem::file_size(place.files().at(0));
    std::filesystem::remove_all(place.results);
    place.variables.merge(driven::Variables{{"LD_PRELOAD", driven::tests_folder() / "full_disk.so"},
                                            {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                            {"FULL_DISK_FOLDER", place.results},
                                            {"FULL_DISK_BYTES", std::to_string(bytes * 3 / 4)}});
    const auto finished = against(other);
    EXPECT_EQ(finished.code, 5) << finished.err;
    EXPECT_NE(finished.err.find("No space left on device"), std::string::npos) << finished.err;
    EXPECT_EQ(place.files().size(), 2U);
}

TEST_F(BenchAgainst, RefusesResumeAndBudget) {
    const auto other = build("other", "1");
    against(other);
    const auto resumed = place.run({"bench", "--resume", place.files().at(0)});
    EXPECT_EQ(resumed.code, 2);
    EXPECT_NE(resumed.err.find("in turns with another build"), std::string::npos) << resumed.err;
    EXPECT_EQ(against(other, {"--budget", "5"}).code, 2);
    EXPECT_EQ(place.run({"bench", "--strict"}).code, 2);
}

TEST(BenchAgainstDriver, RefusesWhatStandsForTheInstalledLibcuda) {
    const std::string module = "580.95.05";
    const std::string installed = "/usr/lib/libcuda.so.580.95.05";
    const std::string compat = "/usr/local/cuda/compat/libcuda.so.590.44.01";
    EXPECT_EQ(why_not_compared(compat, installed, module), "");
    EXPECT_NE(why_not_compared("/opt/other/libcuda.so.590.48", compat, module).find("out of LD_LIBRARY_PATH"),
              std::string::npos);
    EXPECT_NE(why_not_compared(compat, compat, module).find("nothing to compare"), std::string::npos);
    EXPECT_EQ(why_not_compared(compat, "/usr/lib/libcuda.so.1", module), "") << "a file without a version";
    EXPECT_EQ(why_not_compared(compat, "/usr/lib/libcuda.so.570.1", std::nullopt), "") << "WSL has no module";
}

}  // namespace
}  // namespace tocuda
