// tocuda, Apache-2.0.
// The tables of `compare` and `reproduce` on paper of every width.
#include "printing/change_table.hpp"

#include "printing/golden_test.hpp"
#include "printing/reproduced.hpp"

namespace tocuda {
namespace {

AnsweredRow answered(const std::string& benchmark, const Parameters& parameters, ChangeVerdict verdict, double change) {
    AnsweredRow one{.row = {.benchmark = benchmark, .parameters = parameters, .device = Device::real, .gpu = "GPU-1"}};
    one.change = {.verdict = verdict,
                  .change = change,
                  .interval = Range{change - 0.0005, change + 0.0005},
                  .interval_level = 0.99,
                  .detectable = 0.0052,
                  .margin = 0.005,
                  .freedom = 20,
                  .starts_before = 11,
                  .starts_after = 11};
    one.seconds_before = 1.067e-3;
    one.seconds_after = 1.067e-3 * (1 + change);
    return one;
}

ComparedSide side(const std::string& time, const std::string& run, const std::vector<std::string>& command) {
    RunLine line{.run = run, .time = time, .verb = "bench"};
    line.command = command;
    line.suite.version = "0.1.0";
    return {.files = 11, .starts = 11, .runs = {{line, std::string(64, 'd')}}};
}

ChangeReport changes_example() {
    ChangeReport report;
    report.before = side("2026-09-01T10:00:00Z", "11111111-aaaa", {"tocuda", "bench", "copy/", "--quick"});
    report.after = side("2026-10-01T10:00:00Z", "22222222-bbbb", {"tocuda", "bench", "copy/", "--quick", "--json"});
    report.gpus = {"NVIDIA H200 (GPU-1)"};
    report.by_driver_load = true;
    report.attribution.text = "only the driver changed: 580.95.05 -> 590.44.01";
    report.after.repeated = 2;
    report.same_files = {"old/a.jsonl"};
    auto slower = answered("copy/host_to_device/pinned", {{"bytes", 67108864}}, ChangeVerdict::slower, 0.0292);
    slower.clock_change = -0.031;
    auto leaning = answered("copy/host_to_device/pinned", {{"bytes", 1048576}}, ChangeVerdict::undecided, 0.0311);
    leaning.change.interval = Range{-0.01, 0.07};
    leaning.change.detectable = 0.084;
    leaning.change.because = "starts vary too much to tell";
    leaning.change.starts_missing = 12;
    auto open = answered("copy/device_to_device/engine", {{"bytes", 1048576}, {"cache", "resident"}},
                         ChangeVerdict::undecided, 0);
    open.change.interval.reset();
    open.change.detectable.reset();
    open.change.because = "1 of 3 starts on the new side";
    open.change.starts_missing = 20;
    auto invalid = answered("memory/triad", {{"bytes", 4096}}, ChangeVerdict::invalid, 0.2);
    invalid.change.because = "new: hw_thermal";
    auto likely = answered("copy/device_to_host/pinned", {{"bytes", 67108864}}, ChangeVerdict::likely_slower, 0.0311);
    likely.row.gpus = 8;
    likely.row.gpu.clear();
    likely.change.interval.reset();
    likely.change.detectable.reset();
    likely.change.because = "1 of 3 starts on the new side";
    likely.change.starts_missing = 20;
    likely.change.start_noise = StartNoise{0.004, 14, "recorded of these GPUs"};
    likely.change.chance_above = 0.0061;
    auto unlikely = likely;
    unlikely.row.parameters = {{"bytes", 4096}};
    unlikely.change.verdict = ChangeVerdict::undecided;
    unlikely.change.start_noise->spread = 0.0128;
    unlikely.change.not_excluded = 0.0982;
    auto unknown = unlikely;
    unknown.row.parameters = {{"bytes", 65536}};
    unknown.change.start_noise.reset();
    unknown.change.not_excluded.reset();
    unknown.change.noise_freedom = 9;
    report.rows = {slower,  likely, unlikely, unknown,
                   leaning, open,   invalid,  answered("memory/read", {{"bytes", 4096}}, ChangeVerdict::same, 0.0001)};
    report.unpaired = {{"on the old side only", 2, {"memory/dot bytes=4096", "memory/dot bytes=65536"}}};
    report.claims.verdicts = {{"000-07", "capacity/oversize", "default", Device::real, "reproduced", "refuted"}};
    report.claims.compared = 1;
    return report;
}

TEST(ChangeTable, LooksLikeItsGoldens) {
    const auto report = changes_example();
    expect_goldens("change_table", [&](const Paper& paper) {
        return compared_words(report, paper) + "\n" + change_table(report, true, paper) + "\n" +
               claim_words(report, paper) + unpaired_words(report, paper) +
               wrap(total_words(report), 0, 2, paper.columns()) + "\n";
    });
}

TEST(ChangeTable, SaysWhereAnUndecidedRowLeansAndWhatDecidesIt) {
    const auto report = changes_example();
    const auto narrow = change_table(report, false, Paper(false));
    EXPECT_NE(narrow.find("undecided c\n                leans slower by 3.1 %. To be sure: 12 more starts\n"),
              std::string::npos)
        << narrow;
    EXPECT_NE(change_table(report, false, Paper(Surface{.columns = 140}))
                  .find("  leans slower by 3.1 %. To be sure: 12 more starts\n"),
              std::string::npos);
    EXPECT_NE(narrow.find("20 more starts of both sides together"), std::string::npos) << narrow;
    EXPECT_NE(narrow.find("\n  `tocuda bench copy/ --quick`\n"), std::string::npos) << narrow;
}

TEST(ChangeTable, ShowsImportedRatesAsTheyWerePrinted) {
    auto report = changes_example();
    for (auto& one : report.rows) one.rate = PrintedRate{1, "GB/s"};
    report.rows.resize(1);
    report.rows[0].seconds_before = 0.02;
    report.rows[0].seconds_after = 0.025;
    const auto table = change_table(report, true, Paper(false));
    EXPECT_NE(table.find("  GB/s\n"), std::string::npos) << table;
    EXPECT_NE(table.find("50.00    40.00"), std::string::npos) << table;
    EXPECT_NE(change_ticket(report).find(", 50.00 GB/s -> 40.00 GB/s,"), std::string::npos);
}

TEST(ChangeTicket, OfTwoModelsHasTheirTimes) {
    ChangeReport report;
    report.attribution.text = "besides the GPU: driver 570.86.15 against 580.95.05";
    const Parameters size{{"bytes", 1 << 26}};
    report.models = {
        "NVIDIA H100", "NVIDIA H200", {{"memory/read", size, 1e-3, 8e-4}, {"calls/launch", {}, 9e-6, 9e-6}}};
    const auto ticket = change_ticket(report);
    for (const auto* part :
         {"**NVIDIA H200 1.00 to 1.25 times as fast as NVIDIA H100 at the largest size of 2 benchmarks.** `",
          " Besides the GPU: driver ",
          " `memory/read` 64 MiB 1.25 times as fast, 800.0 us against 1.000 ms; `calls/launch` 1.00 "
          "times as fast, 9.000 us against 9.000 us.",
          " Runs: H100 none; H200 none.\n"})
        EXPECT_NE(ticket.find(part), std::string::npos) << ticket;
}

TEST(ChangeTicket, BeginsWithTheFindingAndHasItsNotes) {
    auto report = changes_example();
    report.attribution.text = "since 2026-11-11 the driver changed: 570.86.15 -> 590.44.01";
    report.same_files = {"old.jsonl"};
    report.cut_off = 1;
    report.is_backwards = true;
    for (auto& one : report.rows) one.change.assumption_unused = true;
    const auto ticket = change_ticket(report);
    const auto finding = finding_words(report);
    EXPECT_TRUE(ticket.starts_with("**" + finding + ".** `")) << ticket;
    EXPECT_TRUE(std::isdigit(finding.front())) << finding;
    for (const auto* part :
         {" of 3 starts on the new side", " The same file on both sides: old.jsonl.",
          " 1 section cut off before the end", "swapped? --start", " --start-noise was not used for ",
          " Since 2026-11-11 the driver changed: 570.86.15 -> 590.44.01."})
        EXPECT_NE(ticket.find(part), std::string::npos) << part << "\n" << ticket;
}

TEST(ChangeTicket, SaysWhyNothingWasCompared) {
    ChangeReport report;
    EXPECT_EQ(finding_words(report), "nothing could be compared, because nothing was read on the old side");
    report.before.runs = report.after.runs = {{}};
    EXPECT_EQ(finding_words(report), "nothing could be compared, because no claim was tested on both sides");
    report.unpaired = {{"protocol 1 against 2", 3, {}}};
    EXPECT_TRUE(change_ticket(report).starts_with(
        "**Nothing could be compared, because no row has a counterpart (3 rows, protocol 1 against 2).** Runs: "))
        << change_ticket(report);
}

TEST(ChangeTable, AdvisesNoOptionThatIsGiven) {
    auto report = changes_example();
    EXPECT_NE(deciding_words(report, Paper(false)).find("--start-noise"), std::string::npos);
    for (auto& one : report.rows) one.row.assumed_noise = 0.01;
    EXPECT_EQ(deciding_words(report, Paper(false)).find("--start-noise"), std::string::npos);
}

TEST(ChangeTicket, NamesRowsWithoutARightResult) {
    auto report = changes_example();
    auto wrong = answered("memory/read", {{"bytes", 4096}}, ChangeVerdict::invalid, 0);
    wrong.row.invalid = "new: 6 of 6 processes wrong";
    report.rows.push_back(wrong);
    EXPECT_NE(change_ticket(report).find(" `memory/read` 4 KiB has no right result (new: 6 of 6 processes wrong)."),
              std::string::npos)
        << change_ticket(report);
}

TEST(ChangeTable, NamesHostsThatStandApartAndSectionsThatWereSkipped) {
    auto report = changes_example();
    report.apart = {{"node07", 0.105, 20, true}, {"node03", -0.031, 1}};
    report.rows[0].change.unlike_gpus = {{"node01", "GPU-5", 0.3}};
    report.altered = 1;
    for (const auto& text : {total_words(report), change_ticket(report)}) {
        EXPECT_NE(text.find("; node07 unlike the rest: +10.5 % in 20 rows, node01 GPU-5 unlike the others of its host: "
                            "+30.0 % in 1 row"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find("; far from the others, and left out (boot again to be sure): node03 -3.1 % in 1 row"),
                  std::string::npos)
            << text;
    }
    for (const auto& text : {compared_words(report, Paper(Surface{.columns = 140})), change_ticket(report)})
        EXPECT_NE(text.find("1 section skipped, because damaged or altered"), std::string::npos) << text;
}

TEST(ChangeTable, SaysWhatStartsWithoutNoiseNeed) {
    ChangeReport report;
    report.simulated = true;
    report.without_noise = 3;
    report.same_starts = {"session"};
    auto text = compared_words(report, Paper(Surface{.columns = 140}));
    EXPECT_NE(text.find("3 simulated rows without noise"), std::string::npos) << text;
    EXPECT_NE(text.find("\"process_noise\": 0.0005"), std::string::npos) << text;
    EXPECT_NE(text.find("a profile with a `boot`"), std::string::npos) << text;
    EXPECT_EQ(text.find("ten minutes or reboot"), std::string::npos) << text;
    report.simulated = false;
    text = compared_words(report, Paper(false));
    EXPECT_NE(text.find("wait ten minutes or reboot"), std::string::npos) << text;
}

TEST(ReproductionTable, LooksLikeItsGoldens) {
    Reproduction again{.file = "a.jsonl", .recorded = "b.jsonl", .device = Device::real};
    again.rows = {{.id = "1",
                   .name = "copy/host_to_device/pinned bytes=4096",
                   .heading = "copy/host_to_device/pinned",
                   .label = "4 KiB",
                   .verdict = Reproduced::inside,
                   .before = Value(2e-6),
                   .after = Value(2.01e-6),
                   .interval = Range{1.9e-6, 2.1e-6}},
                  {.id = "2",
                   .name = "dtype/double_move default 000-04",
                   .heading = "dtype/double_move",
                   .label = "default 000-04",
                   .verdict = Reproduced::outside,
                   .before = Value("refuted"),
                   .after = Value("reproduced"),
                   .because = "another verdict than the recorded one, which no row of this file has had so far"}};
    expect_goldens("reproduction_table", [&](const Paper& paper) { return reproduction_table(again, paper); });
}

}  // namespace
}  // namespace tocuda
