// tocuda, Apache-2.0.
// Files that tocuda wrote are read back, and damage is reported with file and line.
#include "record/result_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "json_lines/lines.hpp"
#include "record/result_folder_test.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

class ResultFiles : public ResultFolder {
protected:
    filesystem::path write(const std::string& content) const { return ResultFolder::write("written.jsonl", content); }
};

RunLine run(const std::string& id = "11111111-2222-4333-8444-555555555555") {
    return {.run = id, .time = "2026-11-21T10:00:00Z", .verb = "run", .session = "s"};
}

Row row(const std::string& name) {
    return {name, "default", {.outcome = {"exit", 0, 0.1}}, {{"000-01", Verdict::refuted, Verdict::refuted, "seen"}}};
}

TEST_F(ResultFiles, NameContainsTimeVerbDeviceAndRun) {
    EXPECT_EQ(ResultFile::create(folder, run()).path().filename(), "20261121T100000Z-run-none-11111111.jsonl");
}

TEST_F(ResultFiles, ReadsBackWhatWasWritten) {
    auto file = ResultFile::create(folder, run());
    file.append(to_line(row("a/x")));
    file.append(to_line(row("a/y")));
    file.end("complete");
    const auto read = read_recording(file.path());
    ASSERT_TRUE(read.has_value()) << read.error().what;
    const auto& section = read->sections.at(0);
    EXPECT_EQ(section.rows.at(1).row.name, "a/y");
    EXPECT_EQ(section.rows.at(1).line, 3);
    EXPECT_EQ(section.end->rows, 2);
}

TEST_F(ResultFiles, EndLineHasTheDigestOfEverythingBefore) {
    auto file = ResultFile::create(folder, run());
    file.append(to_line(row("a/x")));
    file.end("complete");
    const auto text = content(file.path());
    Digest digest;
    digest.add(text.substr(0, text.rfind(R"({"kind":"end")")));
    const auto read = read_recording(file.path());
    EXPECT_EQ(read->sections.at(0).end->sha256, digest.hex());
}

TEST_F(ResultFiles, ReadsAlteredSectionsWithAWarning) {
    auto file = ResultFile::create(folder, run());
    file.append(to_line(row("a/x")));
    file.end("complete");
    auto text = content(file.path());
    text.replace(text.find("\"because\":\"seen\""), 16, "\"because\":\"held\"");
    const auto altered = read_recording(write(text));
    ASSERT_TRUE(altered.has_value()) << altered.error().what;
    ASSERT_EQ(altered->warnings.size(), 1U);
    EXPECT_NE(altered->warnings[0].find("written.jsonl:3: the checksum does not match"), std::string::npos);
    EXPECT_TRUE(read_recording(file.path()).value().warnings.empty());
}

TEST(Digest, IsSha256) {
    Digest digest;
    digest.add("ab");
    digest.add("c");
    EXPECT_EQ(digest.hex(),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // the example "abc" of FIPS 180-4
}

TEST_F(ResultFiles, ReadsSectionsWithoutAnEndWithAWarning) {
    auto file = ResultFile::create(folder, run());
    file.append(to_line(row("a/x")));
    const auto read = read_recording(file.path());
    EXPECT_EQ(read->sections.at(0).rows.size(), 1U);
    ASSERT_EQ(read->warnings.size(), 1U);
    EXPECT_NE(read->warnings[0].find("partial"), std::string::npos);
}

TEST_F(ResultFiles, ResumingMovesTornLinesAndAppendsASection) {
    filesystem::path path;
    {
        auto file = ResultFile::create(folder, run());
        file.append(to_line(row("a/x")));
        path = file.path();
    }
    std::ofstream(path, std::ios::app) << R"({"kind":"scen)";
    auto second = ResultFile::resume(path, run("99999999-2222-4333-8444-555555555555"));
    second.append(to_line(row("a/y")));
    second.end("complete");
    EXPECT_EQ(content(path.string() + ".torn"), "{\"kind\":\"scen\n");
    const auto read = read_recording(path);
    ASSERT_TRUE(read.has_value()) << read.error().what;
    ASSERT_EQ(read->sections.size(), 2U);
    EXPECT_EQ(read->sections[1].rows.at(0).row.name, "a/y");
}

TEST_F(ResultFiles, ResumingEndsCutOffSections) {
    filesystem::path path;
    {
        auto file = ResultFile::create(folder, run());
        path = file.path();
        file.append(to_line(row("a/x")));
        file.append(to_line(row("a/y")));
    }
    auto resumed = run("99999999-2222-4333-8444-555555555555");
    resumed.resumes = run().run;
    ResultFile::resume(path, resumed).end("complete");
    const auto read = read_recording(path);
    const auto& sections = read->sections;
    ASSERT_EQ(sections.size(), 2U);
    ASSERT_TRUE(sections[0].end);
    EXPECT_EQ(sections[0].end->status, "interrupted");
    EXPECT_EQ(sections[0].end->rows, 2);
    EXPECT_EQ(read->warnings, std::vector<std::string>{}) << "the checksum matches";
}

TEST_F(ResultFiles, LastLineWithoutNewlineIsTornEvenIfItParses) {
    const auto read = read_recording(write(to_line(run()) + "\n" + to_line(row("a/x"))));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_EQ(read->sections.at(0).rows.size(), 0U);
    EXPECT_NE(read->warnings.at(0).find(":2: the last line is incomplete: the file was cut off"), std::string::npos);
}

TEST_F(ResultFiles, CannotResumeAFileThatIsBeingWritten) {
    const auto file = ResultFile::create(folder, run());
    EXPECT_THROW(ResultFile::resume(file.path(), run()), RecordError);
}

TEST_F(ResultFiles, RemovesLinesThatDoNotFit) {
    auto file = ResultFile::create(folder, run());
    file.append(to_line(row("a/x")));
    const auto whole = filesystem::file_size(file.path());
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit tight{whole + 10, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    EXPECT_THROW(file.append(to_line(row("a/y"))), RecordError);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(filesystem::file_size(file.path()), whole);
}

TEST_F(ResultFiles, NamesFoldersThatCannotBeCreated) {
    const auto file = write("x");
    EXPECT_NE(check_writable(file / "below").error().what.find("below"), std::string::npos);
    EXPECT_TRUE(check_writable(folder));
}

TEST_F(ResultFiles, ReportsDamageWithFileAndLine) {
    const auto good = to_line(run()) + "\n";
    const std::vector<std::pair<std::string, std::string>> damages{
        {"garbage\n", ": not a result file"},
        {"[]\n", ": not a result file"},
        {"{\"kind\":7}\n", ":1: 'kind' has the wrong type"},
        {"{\"kind\":\"surprise\"}\n", ":1: a 'surprise' line before any run line"},
        {good + "{\"kind\":\"scenario\"}\n", ":2: "},
        {good + "\xff\xfe\n", ":2: not JSON"},
        {good + std::string(200000, '[') + "\n", ":2: not JSON"},
        {good + std::string(200000, '[') + std::string(200000, ']') + "\n", ":2: nested too deeply"},
        {"{\"kind\":\"run\",\"schema\":NaN}\n", ":1: not JSON"}};
    for (const auto& [text, expected] : damages) {
        const auto file = write(text);
        const auto read = read_recording(file);
        ASSERT_TRUE(!read.has_value()) << expected;
        EXPECT_NE(read.error().what.find("written.jsonl" + expected), std::string::npos) << read.error().what;
    }
}

MeasurementRow measurement(int process) {
    return {.benchmark = "memory/read",
            .id = "0123456789abcdef",
            .process = process,
            .samples = {.check = "sum", .seconds = {1e-3}}};
}

TEST_F(ResultFiles, ReadsBackRowsOfBothKinds) {
    auto file = ResultFile::create(folder, run());
    file.append(to_line(measurement(0)));
    file.append(to_line(row("a/x")));
    file.append(to_line(measurement(1)));
    file.end("complete");
    const auto read = read_recording(file.path());
    ASSERT_TRUE(read.has_value()) << read.error().what;
    const auto& section = read->sections.at(0);
    EXPECT_TRUE(read->warnings.empty());
    EXPECT_EQ(section.rows.size(), 1U);
    ASSERT_EQ(section.measurements.size(), 2U);
    EXPECT_EQ(section.measurements[1].row, measurement(1));
    EXPECT_EQ(section.measurements[1].line, 4);
    EXPECT_EQ(section.end->rows, 3);
}

TEST_F(ResultFiles, ReadsBackTheProtocol) {
    auto line = run();
    EXPECT_FALSE(run_line(to_line(line))->protocol);
    line.protocol = Protocol{"quick", 1, 3, 20, 0.01, 3};
    const auto read = run_line(to_line(line));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->protocol, line.protocol);
}

TEST_F(ResultFiles, SkipsDamagedMeasurementsWithAWarning) {
    const auto good = to_line(measurement(0));
    const auto with = [&](const std::string& from, const std::string& to) {
        auto text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    const std::vector<std::pair<std::string, std::string>> damages{
        {with(R"(,"samples":[0.001])", ""), "'samples' is not a list"},
        {with("[0.001]", "[-0.001]"), "a sample is negative"},
        {with("[0.001]", R"(["fast"])"), "a sample is not a number"},
        {with("[0.001]", "[null]"), "a sample is not a number"},
        {with("[0.001]", "[NaN]"), "not JSON"},
        {with("[0.001]", "[0.001"), "not JSON"},
        {with(R"("parameters":{})",
              R"("parameters":{"bytes":)" + std::string(100000, '[') + std::string(100000, ']') + "}"),
         "nested too deeply"},
        {with(R"("process":0)", R"("process":"first")"), "'process' has the wrong type"},
        {R"({"kind":"measurement"})", "'benchmark' is missing"}};
    for (const auto& [text, wrong] : damages) {
        const auto read = read_recording(write(to_line(run()) + "\n" + good + "\n" + text + "\n" + good + "\n"));
        ASSERT_TRUE(read.has_value()) << read.error().what;
        const auto& recording = *read;
        EXPECT_EQ(recording.sections.at(0).measurements.size(), 2U) << text;
        EXPECT_NE(recording.warnings.at(0).find("written.jsonl:3: " + wrong + "; row skipped"), std::string::npos)
            << recording.warnings.at(0);
    }
}

TEST_F(ResultFiles, DamagedMeasurementOutsideASectionIsAnError) {
    const std::string damaged = R"({"kind":"measurement",NaN})"
                                "\n";
    EXPECT_NE(read_recording(write(damaged)).error().what.find(":1: not JSON"), std::string::npos);
}

TEST_F(ResultFiles, ReportsFoldersAndMissingOrEmptyFiles) {
    EXPECT_NE(read_recording(folder).error().what.find("a folder"), std::string::npos);
    EXPECT_NE(read_recording(folder / "missing").error().what.find("No such file"), std::string::npos);
    EXPECT_NE(read_recording(write("")).error().what.find("empty"), std::string::npos);
}

}  // namespace
}  // namespace tocuda
