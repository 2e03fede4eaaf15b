// tocuda, Apache-2.0.
// The reader reports every line once and in order for any block size, and every problem with its file and line.
#include "record/record_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <regex>
#include <vector>

#include "json_lines/lines.hpp"
#include "record/digest.hpp"
#include "record/result_folder_test.hpp"

namespace tocuda {
namespace {

struct Told : RecordVisitor {
    void run(const RunLine& run, const LinePlace& place) override { say(place, "run " + run.run); }
    void measurement(const MeasurementRow& row, const LinePlace& place) override {
        say(place, "measurement " + row.id);
    }
    void scenario(const Row& row, const LinePlace& place) override { say(place, "scenario " + row.name); }
    void other(std::string_view kind, const LinePlace& place) override { say(place, "other " + std::string(kind)); }
    void end(const SectionEnd& end) override {
        ends.push_back(end);
        text += (end.end ? "end" : "partial") + std::string(" ") + std::to_string(end.rows) + "\n";
    }
    void warning(int line, const std::string& what) override { warnings += std::to_string(line) + ": " + what + "\n"; }
    void say(const LinePlace& place, const std::string& what) {
        text += std::to_string(place.line) + " " + what + "\n";
        places += std::to_string(place.offset) + "+" + std::to_string(place.text.size()) + "\n";
    }

    std::string text, places, warnings;
    std::vector<SectionEnd> ends;
};

std::string run_text(const std::string& id = "r1", int schema = 1) {
    return to_line(
               RunLine{.schema = schema, .run = id, .time = "2026-11-21T10:00:00Z", .verb = "bench", .session = "s"}) +
           "\n";
}

const std::string measured =
    to_line(MeasurementRow{.benchmark = "a/b", .id = "m1", .samples = {.check = "sum", .seconds = {1e-3}}}) + "\n";
const std::string scenario_text = to_line(Row{"a/x", "default", {.outcome = {"exit", 0, 0.1}}, {}}) + "\n";
const std::string negative = R"({"kind":"measurement","benchmark":"a/b","id":"m2","device":"none","round":-1})"
                             "\n";

std::string sha256(const std::string& text) {
    Digest digest;
    digest.add(text);
    return digest.hex();
}

std::string ended(const std::string& section, int rows) {
    return section + to_line(EndLine{"complete", rows, sha256(section)}) + "\n";
}

std::string read(const std::string& text, Reading reading, Told& told, std::size_t block = 1U << 16U) {
    const auto read = read_record_bytes(text, "f", reading, told, block);
    return read ? "" : read.error().what;
}

TEST(RecordReader, ReportsLinesInOrderForAnyBlockSize) {
    const auto text =
        ended(run_text() + measured + "{\"kind\":\"weather\"}\n" + scenario_text, 3) + ended(run_text("r2"), 0);
    for (const std::size_t block : {1U, 7U, 64U, 4096U, 1U << 20U}) {
        Told told;
        ASSERT_EQ(read(text, Reading::strict, told, block), "") << block;
        EXPECT_EQ(told.text, "1 run r1\n2 measurement m1\n3 other weather\n4 scenario a/x\nend 3\n6 run r2\nend 0\n")
            << block;
        EXPECT_EQ(told.warnings, "");
        EXPECT_TRUE(told.places.starts_with("0+" + std::to_string(run_text().size() - 1) + "\n" +
                                            std::to_string(run_text().size()) + "+"))
            << told.places;
    }
}

TEST(RecordReader, ReportsTheBytesAndDigestsOfSections) {
    const auto first = ended(run_text() + measured, 1);
    const auto second = run_text("r2") + measured;
    Told told;
    ASSERT_EQ(read(first + second + "{\"kind\":", Reading::strict, told), "");
    ASSERT_EQ(told.ends.size(), 2U);
    EXPECT_EQ(told.ends[0].sha256, sha256(run_text() + measured));
    EXPECT_EQ(told.ends[0].whole, sha256(first));
    EXPECT_EQ(told.ends[0].begin, 0U);
    EXPECT_EQ(told.ends[0].size, first.size());
    EXPECT_EQ(told.ends[1].whole, sha256(second)) << "the torn line is not part of the section";
    EXPECT_EQ(told.ends[1].begin, first.size());
    EXPECT_EQ(told.ends[1].size, second.size());
    EXPECT_EQ(told.warnings,
              "6: the last line is incomplete: the file was cut off\n4: the section of run r2 has no end line: it is "
              "partial\n");
}

TEST(RecordReader, PartialSectionMayBeFollowedByAnother) {
    Told told;
    ASSERT_EQ(read(run_text() + measured + ended(run_text("r2") + scenario_text, 1), Reading::strict, told), "");
    EXPECT_EQ(told.text, "1 run r1\n2 measurement m1\npartial 1\n3 run r2\n4 scenario a/x\nend 1\n");
    EXPECT_EQ(told.warnings, "1: the section of run r1 has no end line: it is partial\n");
}

TEST(RecordReader, StrictStopsAtInvalidLinesAndLenientSkipsThem) {
    const auto text = ended(run_text() + negative + measured, 2);
    Told strict;
    EXPECT_EQ(read(text, Reading::strict, strict), "f:2: 'round' is negative");
    EXPECT_EQ(strict.text, "1 run r1\n");
    Told lenient;
    EXPECT_EQ(read(text, Reading::lenient, lenient), "");
    EXPECT_EQ(lenient.text, "1 run r1\n3 measurement m1\nend 2\n");
    EXPECT_EQ(lenient.warnings, "2: 'round' is negative; row skipped\n");
}

TEST(RecordReader, SkipsUnknownPartsOfNewerSchemas) {
    Told told;
    const auto newer = "{\"kind\":\"scenario\",\"verdicts\":{}}\n";
    ASSERT_EQ(read(ended(run_text("r1", 2) + negative + newer + measured, 3) + ended(run_text("r2") + measured, 1),
                   Reading::strict, told),
              "");
    EXPECT_EQ(told.text, "1 run r1\n4 measurement m1\nend 3\n6 run r2\n7 measurement m1\nend 1\n");
    EXPECT_EQ(told.warnings,
              "1: schema 2 is newer than this tocuda supports; unknown parts are skipped\n"
              "2: 'round' is negative; row skipped\n"
              "3: 'name' is missing; row skipped\n");
    Told after;
    EXPECT_EQ(read(ended(run_text("r1", 2), 0) + run_text("r2") + negative, Reading::strict, after),
              "f:4: 'round' is negative")
        << "the leniency ends with the section";
    EXPECT_EQ(read(run_text("r1", 2) + "{\"kind\":\"measurement\",\n", Reading::strict, after), "f:2: not JSON");
}

TEST(RecordReader, ReportsDamageWithItsLine) {
    for (const auto& [text, wrong] : std::vector<std::pair<std::string, std::string>>{
             {"", "f: empty: a result file begins with a run line"},
             {run_text().substr(0, 20), "f:1: the run line is incomplete: the file was cut off"},
             {"\n", "f: not a result file: its lines are not those that run, bench and merge write"},
             {"{\n  \"nvbandwidth\": {}\n}\n",
              "f: looks like the output of nvbandwidth: `tocuda import f -o x.jsonl` first"},
             {"function,num_times,n_elements\n",
              "f: looks like the output of BabelStream: `tocuda import f -o x.jsonl` first"},
             {R"({"meta":{},"benchmarks":[]})"
              "\n",
              "f: looks like the output of nvbench: `tocuda import f -o x.jsonl` first"},
             {"\xEF\xBB\xBF" + run_text(),
              "f:1: begins with a byte order mark; a result file has none: remove these three bytes"},
             {measured, "f:1: a 'measurement' line before any run line"},
             {ended(run_text(), 0) + measured, "f:3: a 'measurement' line after the section's end"},
             {ended(run_text(), 0) + "{\"kind\":\"end\"}\n", "f:3: a 'end' line after the section's end"},
             {run_text() + "{\"kind\":\"end\"}\n", "f:2: 'status' is missing"},
             {run_text() + measured + std::string("\0\xff\n", 3), "f:3: not JSON: not UTF-8"},
             {run_text() + R"({"kind":"other","a":1,"a":1})"
                           "\n",
              "f:2: 'a' appears twice"},
             {run_text() + "{\"kind\":\"other\",\"a\":" + std::string(200, '[') + std::string(200, ']') + "}\n",
              "f:2: nested too deeply"}})
        for (const auto reading : {Reading::strict, Reading::lenient}) {
            Told told;
            EXPECT_EQ(read(text, reading, told), wrong) << text;
        }
}

TEST(RecordReader, SaysIfOnlyTheEndsOfLinesDiffer) {
    const auto with_cr = [](const std::string& text) { return std::regex_replace(text, std::regex("\n"), "\r\n"); };
    const auto good = ended(run_text() + measured, 1);
    Told told;
    ASSERT_EQ(read(with_cr(good), Reading::strict, told), "");
    EXPECT_EQ(told.warnings, "3: the lines end in CR LF; with LF the section is unaltered\n");
    auto altered = good;
    altered.replace(altered.find("a/b"), 3, "a/c");
    Told more;
    ASSERT_EQ(read(with_cr(altered), Reading::strict, more), "");
    EXPECT_EQ(more.warnings, "3: the checksum does not match: the section was altered or damaged\n");
}

TEST(RecordReader, ReadsAlteredSectionsWithAWarning) {
    auto text = ended(run_text() + measured, 1);
    text.replace(text.find("a/b"), 3, "a/c");
    Told told;
    ASSERT_EQ(read(text, Reading::strict, told), "");
    EXPECT_TRUE(told.ends.at(0).altered());
    EXPECT_EQ(told.warnings, "3: the checksum does not match: the section was altered or damaged\n");
}

TEST(RecordReader, RefusesEndlessLinesInBoundedMemory) {
    std::size_t given = run_text().size();
    std::size_t rest = std::size_t{1} << 30U;
    LineSource source([&](char* room, std::size_t size) {
        const auto part = std::min(size, rest);
        std::fill_n(room, part, 'x');
        rest -= part;
        given += part;
        return static_cast<std::ptrdiff_t>(part);
    });
    EXPECT_EQ(source.next().error().what, "line longer than 128 MiB");
    EXPECT_LT(given, 2 * longest_line);
}

class RecordFiles : public ResultFolder {};

TEST_F(RecordFiles, IgnoresLinesAppendedAfterOpening) {
    const auto file = folder / "grows";
    std::ofstream(file) << run_text() << measured;
    struct Grower : Told {
        explicit Grower(std::filesystem::path path) : grown(std::move(path)) {}
        void measurement(const MeasurementRow& row, const LinePlace& place) override {
            Told::measurement(row, place);
            std::ofstream(grown, std::ios::app) << measured << measured;
        }
        std::filesystem::path grown;
    } told(file);
    EXPECT_TRUE(read_record(file, Reading::strict, told));
    EXPECT_EQ(told.text, "1 run r1\n2 measurement m1\npartial 1\n");
}

TEST(RecordReader, EscapesControlCharactersInFileNames) {
    EXPECT_EQ(at_line("a\x1b[2J", 3, "wrong"), "a\xef\xbf\xbd[2J:3: wrong");
}

TEST_F(RecordFiles, RefusesPipesAndFoldersWithoutWaiting) {
    const auto pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Told told;
    const auto why = [&](const std::filesystem::path& path) {
        return read_record(path, Reading::strict, told).error().what;
    };
    EXPECT_EQ(why(pipe), pipe.string() + ": not a regular file");
    EXPECT_EQ(why(folder), folder.string() + ": a folder, not a result file");
    EXPECT_EQ(why(folder / "missing"), (folder / "missing").string() + ": No such file or directory");
}

}  // namespace
}  // namespace tocuda
