// tocuda, Apache-2.0.
// `compare` as a user and a program see it, on files written by the test.
#include <fstream>
#include <iterator>
#include <regex>

#include "command/comparing_test.hpp"
#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

using Verdicts = std::vector<std::string>;

TEST_F(Comparing, SlowerRowIsAFindingAndFasterOneIsNot) {
    two_drivers(1.03);
    const auto slower = document({"old", "new"}, 1);
    EXPECT_EQ(verdicts(slower), (Verdicts{"same", "slower"}));
    EXPECT_NEAR(slower["rows"][1]["change"], 0.03, 0.002);
    EXPECT_EQ(slower["attribution"]["only"], "driver");
    EXPECT_EQ(verdicts(document({"new", "old"}, 0)), (Verdicts{"same", "faster"}));
}

TEST_F(Comparing, MarginCanBeChanged) {
    two_drivers(1.03);
    EXPECT_EQ(document({"old", "new", "--margin", "0.5"}, 1)["rows"][1]["margin"], 0.005);
    EXPECT_EQ(verdicts(document({"old", "new", "--margin", "10"}, 0)), (Verdicts{"same", "same"}));
    EXPECT_EQ(verdicts(document({"old", "new", "--margin", "10%"}, 0)), (Verdicts{"same", "same"}));
}

TEST_F(Comparing, EqualSidesRaiseNoAlarm) {
    two_drivers(1);
    EXPECT_EQ(verdicts(document({"old", "new", "--strict"}, 0)), (Verdicts{"same", "same"}));
}

TEST_F(Comparing, SkipsAlteredSections) {
    two_drivers(1);
    const auto file = place.folder / "new/22.jsonl";
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string samples = R"("samples":[0.)";
    text[text.find(samples) + samples.size()] = '9';
    driven::write(file, text);
    const auto compared = document({"old", "new"}, 0);
    EXPECT_EQ(compared["rows"][1]["old"]["sessions"], 11);
    EXPECT_EQ(compared["rows"][1]["new"]["sessions"], 10);
    EXPECT_NE(compared["warnings"].dump().find("22.jsonl:8: section skipped"), std::string::npos)
        << compared["warnings"];
    const auto nothing = compare({"old", file.string()});
    EXPECT_EQ(nothing.code, 4) << "nothing is left to compare";
    EXPECT_NE(nothing.out.find("new      1 file, no runs\n"), std::string::npos) << nothing.out;
    EXPECT_NE(nothing.out.find("changed  not known: nothing was read on the new side\n"), std::string::npos)
        << nothing.out;
    EXPECT_NE(compare({"old", "new"}).out.find("note     1 section skipped, because damaged or altered"),
              std::string::npos);
    const auto alone = compare({file.string()});
    EXPECT_EQ(alone.code, 4);
    for (const auto& told : {nothing, alone}) {
        EXPECT_NE(told.err.find("22.jsonl:8: section skipped because it was altered"), std::string::npos) << told.err;
        EXPECT_NE(told.err.find("tocuda: nothing can be compared\n"), std::string::npos) << told.err;
    }
}

TEST_F(Comparing, SkipsADamagedFileOfAFolder) {
    two_drivers(1);
    const auto file = place.folder / "new/22.jsonl";
    auto text = driven::text_of(file);
    const std::string samples = R"("samples":[0.)";
    text[text.find(samples) + samples.size() - 2] = 'x';
    driven::write(file, text);
    const auto compared = document({"old", "new"}, 0);
    EXPECT_EQ(compared["rows"][1]["new"]["sessions"], 10);
    EXPECT_NE(compared["warnings"].dump().find("not JSON; skipped from there on"), std::string::npos)
        << compared["warnings"];
    EXPECT_EQ(compare({"old", file.string()}).code, 2) << "it was named itself";
    for (const driven::Words& words : {driven::Words{"judge", "new"}, {"report", "new", "--markdown"}})
        EXPECT_NE(place.run(words).err.find("22.jsonl:2: "), std::string::npos) << words.front();
}

TEST_F(Comparing, FileComparedWithItselfIsNeverSlowerOrFaster) {
    two_drivers(1.03);
    const auto itself = document({"old", "old"}, 0);
    EXPECT_EQ(itself["on_both_sides"].size(), 11U);
    EXPECT_EQ(verdicts(itself), (Verdicts{"same", "same"}));
    // One start of the slower side is on the faster one, too.
    std::filesystem::copy(place.folder / "old/01.jsonl", place.folder / "new/01.jsonl");
    const auto mixed = document({"old", "new"}, 0);
    EXPECT_EQ(verdicts(mixed), (Verdicts{"same", "undecided"}));
    EXPECT_EQ(mixed["rows"][1]["because"], "the same start is on both sides");
}

TEST_F(Comparing, TooFewStartsAreUndecidedWithTheCommandToRun) {
    sessions("old", 1, 1, "570.86.15");
    sessions("new", 2, 2, "580.95.05", 1.5);
    const auto finished = compare({"old", "new"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.out.find("undecided"), std::string::npos);
    const std::regex leans(
        R"(leans slower by 50\.0 %\. Starts\s+that\s+differ\s+by\s+more\s+than\s+11 %\s+explain\s+it;)");
    EXPECT_TRUE(std::regex_search(finished.out, leans)) << finished.out;
    EXPECT_NE(finished.out.find("`tocuda bench"), std::string::npos) << finished.out;
    EXPECT_EQ(compare({"old", "new", "--strict"}).code, 3);
    EXPECT_LE(driven::widest_line(finished.out), 80U) << finished.out;
}

TEST_F(Comparing, UndecidedRowsNameTheRecordedCommands) {
    const auto measured_by = [](int session, const std::string& driver, const std::vector<std::string>& words) {
        auto run = run_of(session, driver);
        run.command = {"tocuda", "bench"};
        run.command.insert(run.command.end(), words.begin(), words.end());
        return run;
    };
    const auto words = std::vector<std::string>{"copy/", "--bytes", "64KiB", "--quick", "--json"};
    write("old/1.jsonl", measured_by(1, "570.86.15", words), rows_of(1));
    write("new/2.jsonl", measured_by(2, "580.95.05", words), rows_of(2, 0.9));
    const auto finished = compare({"old", "new"});
    EXPECT_NE(finished.out.find("\n  `tocuda bench copy/ --bytes 64KiB --quick`\n"), std::string::npos) << finished.out;
    write("new/2.jsonl", measured_by(2, "580.95.05", {"copy/", "key=a b"}), rows_of(2, 0.9));
    const auto differing = compare({"old", "new"});
    EXPECT_NE(differing.out.find("\n  old  `tocuda bench copy/ --bytes 64KiB --quick`\n"
                                 "  new  `tocuda bench copy/ 'key=a b'`\n"),
              std::string::npos)
        << differing.out;
    const auto row = document({"old", "new"}, 0)["rows"][1];
    EXPECT_EQ(row["verdict"], "undecided");
    EXPECT_EQ(row["leans"], "faster");
    EXPECT_EQ(row["change_interval"], nullptr);
}

TEST_F(Comparing, DocumentHasAllFieldsOfContract) {
    two_drivers(1.03);
    const auto found = document({"old", "new"}, 1);
    EXPECT_EQ(found["about"]["old"].size(), 11U);
    EXPECT_EQ(found["about"]["new"][0]["driver"]["kernel_module"], "580.95.05");
    EXPECT_FALSE(found["about"]["old"][0].contains("kind"));
    const auto& row = found["rows"][1];
    for (const auto* field : {"id", "benchmark", "parameters", "verdict", "leans", "change", "change_interval",
                              "interval_level", "detectable_change", "old", "new", "because"})
        EXPECT_TRUE(row.contains(field)) << field;
    EXPECT_EQ(row["leans"], nullptr) << "it is decided";
    EXPECT_LT(row["change_interval"][0], row["change"]);
    EXPECT_NEAR(row["new"]["seconds"].get<double>() / row["old"]["seconds"].get<double>(), 1.03, 0.002);
    EXPECT_EQ(row["old"]["processes"], 33);
}

TEST_F(Comparing, StartsThatAreEqualToTheByteCountOnce) {
    sessions("old", 1, 3, "570.86.15");
    for (int session = 4; session <= 6; ++session)
        write("new/" + two_digits(session) + ".jsonl", run_of(session, "580.95.05"), rows_of(4));
    const auto finished = compare({"old", "new"});
    EXPECT_NE(finished.out.find("2 runs on the new side not counted: not independent"), std::string::npos)
        << finished.out;
    const auto found = document({"old", "new"}, 0);
    EXPECT_EQ(found["new"]["repeated"], 2);
    EXPECT_EQ(found["old"]["repeated"], 0);
    EXPECT_EQ(found["rows"][0]["new"]["sessions"], 1);
    EXPECT_EQ(found["rows"][0]["because"], "1 of 3 starts on the new side");
}

TEST_F(Comparing, NamesTheFileThatIsOnBothSides) {
    const auto file = write("old/1.jsonl", run_of(1, "570.86.15"), rows_of(1));
    write("new/2.jsonl", run_of(2, "570.86.15"), rows_of(2));
    const auto twice = compare({file, "old"});
    EXPECT_NE(twice.out.find("the same file on both sides:"), std::string::npos) << twice.out;
    EXPECT_EQ(document({file, "old"}, 0)["same_files"].size(), 1U);
    EXPECT_EQ(document({file, "old"}, 0)["rows"][0]["because"], "the same start is on both sides");
    EXPECT_EQ(twice.out.find("more start"), std::string::npos) << "more of them would decide nothing";
    EXPECT_EQ(document({"old", "new"}, 0)["same_files"].size(), 0U);
}

TEST_F(Comparing, SkipsForeignFilesOfAFolder) {
    two_drivers(1.03);
    driven::write(place.folder / "new/notes.jsonl", "{\"kind\":\"shopping\"}\n");
    const auto finished = compare({"old", "new"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_NE(finished.err.find("new/notes.jsonl:1: "), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("skipped: not a result file"), std::string::npos) << finished.err;
    EXPECT_EQ(document({"old", "new"}, 1)["new"]["files"], 11);
    EXPECT_EQ(compare({"old", "new/notes.jsonl"}).code, 2) << "it was given by name";
    std::filesystem::create_directories(place.folder / "only");
    driven::write(place.folder / "only/notes.jsonl", "x\n");
    EXPECT_EQ(compare({"old", "only"}).err, "tocuda: only: no result files in this folder\n");
}

TEST_F(Comparing, TicketIsOneParagraphWithNumbersRunsAndDigests) {
    two_drivers(1.03);
    const auto ticket = compare({"old", "new", "--ticket"});
    EXPECT_EQ(ticket.code, 1) << ticket.err;
    EXPECT_EQ(driven::lines_in(ticket.out), 1U) << ticket.out;
    const auto digest = driven::text_of(place.folder / "new/12.jsonl");
    const auto sha256 = digest.substr(digest.rfind("\"sha256\":\"") + 10, 12);
    for (const auto& words :
         {std::string("**1 slower of 2 rows.** `"),
          std::string(" Since 2026-11-12 the driver changed: 570.86.15 -> 580.95.05"), std::string("2 rows: 1 slower"),
          std::string("`copy/host_to_device/pinned` 64 KiB slower, +2.94 % of time (+2."),
          std::string("11 against 11 starts"), "`run-12` (sha256 `" + sha256 + "`)", std::string("and 7 more")})
        EXPECT_NE(ticket.out.find(words), std::string::npos) << words << "\n" << ticket.out;
    EXPECT_EQ(compare({"old", "new", "--ticket", "--json"}).code, 2);
    EXPECT_EQ(compare({"--history", "old", "--ticket"}).code, 2);
}

TEST_F(Comparing, FileNamesAndOrderDoNotMatter) {
    two_drivers(1.03);
    const auto before = compare({"old", "new", "--json"}).out;
    for (int session = 1; session <= 11; ++session)
        std::filesystem::rename(place.folder / ("old/" + two_digits(session) + ".jsonl"),
                                place.folder / ("old/" + two_digits(50 - session) + ".jsonl"));
    EXPECT_EQ(compare({"old", "new", "--json"}).out, before);
}

TEST_F(Comparing, DoesNotCompareSimulatedWithReal) {
    const auto real = write("real.jsonl", run_of(1, "570.86.15"), rows_of(1));
    auto run = run_of(2, "570.86.15");
    auto rows = rows_of(2);
    run.device = Device::simulated;
    for (auto& row : rows) row.device = Device::simulated;
    const auto simulated = write("simulated.jsonl", run, rows);
    const auto finished = compare({real, simulated});
    EXPECT_EQ(finished.code, 4);
    EXPECT_NE(finished.out.find("not compared: 2 rows, real against simulated"), std::string::npos) << finished.out;
    EXPECT_EQ(document({real, simulated}, 4)["unpaired"][0]["first"].size(), 2U) << "each of them is named once";
    EXPECT_EQ(finished.out.rfind("SIMULATED", 0), 0U);
    EXPECT_EQ(document({real, simulated}, 4)["rows"].size(), 0U);
}

TEST_F(Comparing, DoesNotCompareDifferentProtocols) {
    const auto first = write("first.jsonl", run_of(1, "570.86.15"), rows_of(1));
    auto run = run_of(2, "570.86.15");
    run.protocol->version = 3;
    const auto finished = compare({first, write("second.jsonl", run, rows_of(2))});
    EXPECT_EQ(finished.code, 4);
    EXPECT_NE(finished.out.find("protocol 2 against 3"), std::string::npos) << finished.out;
}

TEST_F(Comparing, SideWithTwoDriversIsNotAttributable) {
    two_drivers(1.03);
    write("old/23.jsonl", run_of(23, "580.95.05"), rows_of(23));
    const auto mixed = document({"old", "new"}, 1);
    EXPECT_EQ(mixed["attribution"]["only"], nullptr);
    EXPECT_EQ(mixed["attribution"]["mixed"][0]["values"], (nlohmann::json{"570.86.15", "580.95.05"}));
}

TEST_F(Comparing, ReportsAChangedPowerLimit) {
    two_drivers(1.03);
    for (int session = 12; session <= 22; ++session) {
        auto run = run_of(session, "580.95.05");
        run.gpus[0].power_limit_w = 600;
        write("new/" + two_digits(session) + ".jsonl", run, rows_of(session, 1.03));
    }
    const auto finished = compare({"old", "new"});
    EXPECT_NE(finished.out.find("limit 700 -> 600 W"), std::string::npos) << finished.out;
}

TEST_F(Comparing, CountsRowsOfOneSide) {
    two_drivers(1);
    auto rows = rows_of(23);
    for (auto& row : rows) row.id = "f" + row.id.substr(1);
    for (auto& row : rows) row.benchmark = "memory/" + row.benchmark.substr(5);
    write("new/23.jsonl", run_of(23, "580.95.05"), rows);
    const auto finished = compare({"old", "new"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_NE(finished.out.find("not compared: 2 rows, on the new side only"), std::string::npos) << finished.out;
}

TEST_F(Comparing, TruncatedFileCountsWithAWarning) {
    two_drivers(1);
    const auto file = place.folder / "new/22.jsonl";
    auto text = driven::text_of(file);
    text.resize(text.rfind(R"({"kind":"end")"));
    driven::write(file, text);
    const auto finished = compare({"old", "new"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_NE(finished.err.find("22.jsonl:1: "), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("partial"), std::string::npos) << finished.err;
    EXPECT_EQ(compare({"old", "new", "--quiet"}).err, "");
}

TEST_F(Comparing, ChangedClaimIsAFinding) {
    Row row{.name = "capacity/oversize", .variant = "default"};
    row.evidence.device = Device::real;
    row.evidence.outcome = {.ended = "exit"};
    row.claims = {{"000-07", Verdict::reproduced, Verdict::reproduced, "seen"}};
    driven::write(place.folder / "old.jsonl", to_line(run_of(1, "570.86.15")) + "\n" + to_line(row) + "\n");
    row.claims[0].verdict = Verdict::refuted;
    driven::write(place.folder / "new.jsonl", to_line(run_of(2, "580.95.05")) + "\n" + to_line(row) + "\n");
    const auto changed = document({"old.jsonl", "new.jsonl"}, 1);
    ASSERT_EQ(changed["verdicts"].size(), 1U);
    EXPECT_EQ(changed["verdicts"][0]["claim"], "000-07");
    EXPECT_EQ(changed["verdicts"][0]["old"], "reproduced");
    EXPECT_EQ(changed["verdicts"][0]["new"], "refuted");
    const auto said = compare({"old.jsonl", "new.jsonl"});
    EXPECT_NE(said.out.find("! capacity/oversize 000-07: true -> false\n"), std::string::npos) << said.out;
    EXPECT_EQ(document({"old.jsonl", "old.jsonl"}, 0)["verdicts"].size(), 0U);
}

TEST_F(Comparing, BadInputIsOneLineAndExitCodeTwo) {
    two_drivers(1);
    std::filesystem::create_directories(place.folder / "empty");
    driven::write(place.folder / "bad.jsonl", "{\"kind\":7}\n");
    const std::vector<std::pair<driven::Words, std::string>> wrong{
        {{"missing"}, "missing: "},
        {{}, "OLD NEW"},
        {{"old", "new", "old"}, "unexpected argument 'old'"},
        {{"old", "missing"}, "missing: "},
        {{"old", "empty"}, "empty: no result files"},
        {{"bad.jsonl", "new"}, "bad.jsonl:1: "},
        {{"old", "new", "--histroy", "x"}, "'--history'"},
        {{"old", "new", "--margin", "60"}, "no percentage above 0 and up to 50"},
        {{"old", "new", "--history", "missing"}, "missing: "},
        {{"--fleet", "old", "--history", "new"}, "--fleet cannot be combined"}};
    for (const auto& [words, what] : wrong) {
        const auto finished = compare(words);
        EXPECT_EQ(finished.code, 2) << what;
        EXPECT_NE(finished.err.find(what), std::string::npos) << finished.err;
        EXPECT_EQ(driven::lines_in(finished.err), 1U) << finished.err;
        EXPECT_EQ(finished.out, "");
    }
}

}  // namespace
}  // namespace tocuda
