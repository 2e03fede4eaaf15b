// tocuda, Apache-2.0.
// Tests pages and digests made of reports that were built by hand: nothing from a file becomes markup, redaction leaves
// nothing, tables hold the documents' numbers, and a page stays small.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "report/html.hpp"
#include "report/measured_report_test.hpp"
#include "report/parts.hpp"

namespace tocuda::page {
namespace {

constexpr std::size_t page_most = 500'000;

Report with_sizes() {
    std::vector<MeasurementRow> rows;
    for (const std::int64_t bytes : {4096, 1 << 20, 1 << 26})
        for (const auto* name : {"copy/host_to_device/pinned", "copy/host_to_device/pageable"}) {
            const auto some = processes_of(name, {{"bytes", bytes}}, bytes,
                                           2e-6 + static_cast<double>(bytes) / (name[21] == 'i' ? 60e9 : 8e9));
            rows.insert(rows.end(), some.begin(), some.end());
        }
    return measured(rows);
}

Row scenario(const std::string& text) {
    Row row{.name = "dtype/double_move", .variant = "default"};
    row.evidence.device = Device::real;
    row.evidence.outcome = {.ended = "exit"};
    row.evidence.observations = {{"message", Value(text)}};
    row.evidence.stderr_tail = text;
    row.claims = {{"000-04", Verdict::refuted, Verdict::refuted, text}};
    return row;
}

TEST(Html, EscapesMarkupQuotesAndControlCharacters) {
    EXPECT_EQ(escaped("<b a=\"1\" c='2'>&\x1b[2J"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\xef\xbf\xbd[2J");
}

TEST(Html, CutsEndlessTexts) {
    EXPECT_LT(escaped(std::string(1 << 20, 'x')).size(), 5000U);
    EXPECT_TRUE(escaped(std::string(1 << 20, 'x')).ends_with("more bytes)"));
}

TEST(Html, PutsNothingIntoMarkupUnescaped) {
    const Redaction none;
    Html inner(none);
    inner.add("<i>{}</i>", "<x>");
    EXPECT_EQ(Html(none).add("<b title=\"{}\">{}{}</b>", "a\"b", 7, inner).text(),
              "<b title=\"a&quot;b\">7<i>&lt;x&gt;</i></b>");
}

TEST(Page, BeginsWithTheTaxOfTheMoveThatTheDataSheetHas) {
    auto report = with_sizes();
    auto& taxes = report.runs.front().measured.taxes;
    for (const auto& [name, ratio] : {std::pair("framework/pinned_to", 4.59), {"framework/to", 3.881}})
        taxes.push_back({.benchmark = name, .bytes_one_way = 4096, .processes = 6, .ratio = ratio});
    const auto shown = headlines(report).back();
    EXPECT_EQ(shown.value, "3.88 times");
    EXPECT_NE(shown.detail.find("framework/to: 3.881 at 4 KiB"), std::string::npos) << shown.detail;
    taxes.pop_back();
    EXPECT_NE(headlines(report).back().detail.find("framework/pinned_to: 4.590"), std::string::npos);
}

// Two drivers, and rows with these answers, the first the largest change.
DriverStep step(const std::vector<ChangeVerdict>& verdicts, const std::vector<FieldChange>& changed) {
    DriverStep made{"575.57.08 (CUDA 12.9)", "580.95.05 (CUDA 13.0)", {}};
    made.report.before.runs = made.report.after.runs = {{run_line(), "digest"}};
    made.report.attribution.changed = changed;
    if (changed.size() == 1) made.report.attribution.only = "driver";
    double change = 0.031;
    for (const auto verdict : verdicts) {
        AnsweredRow row{};
        row.row.benchmark = "copy/row" + std::to_string(made.report.rows.size());
        row.change.verdict = verdict;
        row.change.change = change;
        change /= 2;
        made.report.rows.push_back(row);
    }
    return made;
}

TEST(Page, TheTitleIsTheVerdict) {
    const FieldChange driver{"driver.kernel_module", "575.57.08", "580.95.05"};
    const FieldChange kernel{"machine.kernel", "6.1", "6.2"};
    const auto words = [](const DriverStep& one) {
        auto report = with_sizes();
        report.changes = {one};
        const auto title = "<h1>NVIDIA H200, 2026-11-21: " + escaped(verdict_words(report)) + "</h1>";
        EXPECT_EQ(count_of(html_of(report), title), 1U) << title;
        return verdict_words(report);
    };
    using enum ChangeVerdict;
    auto separated = step({slower, slower, undecided}, {driver});
    separated.report.attribution.is_cause = true;
    EXPECT_EQ(words(separated), "driver 580.95.05: 2 of 3 rows slower, by up to 3.1 %: copy/row0");
    separated.report.attribution.is_cause = false;
    EXPECT_EQ(words(separated), "since 2026-11-21 (driver changed): 2 of 3 rows slower, by up to 3.1 %: copy/row0")
        << "no control had the other row";
    EXPECT_EQ(words(step({undecided, slower}, {driver})),
              "since 2026-11-21 (driver changed): copy/row1 slower by 1.6 %");
    EXPECT_EQ(words(step({likely_slower}, {driver})),
              "since 2026-11-21 (driver changed): copy/row0 likely slower by 3.1 %");
    auto apart = step({same, undecided}, {driver});
    apart.report.apart = {{"node05", 0.05, 2, true}, {"node02", 0.03, 1}};
    EXPECT_EQ(words(apart),
              "since 2026-11-21 (driver changed): node05 unlike the rest: +5.0 % in 2 rows; far from the others, "
              "and left out (boot again to be sure): node02 +3.0 % in 1 row");
    auto everywhere = step({same, same}, {driver});
    everywhere.report.rows[1].change.less_controls = true;
    everywhere.report.rows[1].change.controls_change = 0.03;
    everywhere.report.is_backwards = true;
    EXPECT_EQ(
        words(everywhere),
        "since 2026-11-21 (driver changed): no change in 2 rows; hosts that kept the driver changed, too, by up to "
        "+3.0 %; the new side is the older one");
    auto wrong = step({slower, same}, {driver});
    wrong.report.rows[1].row.invalid = "new: 6 of 6 processes wrong";
    EXPECT_EQ(words(wrong),
              "since 2026-11-21 (driver changed): 1 of 2 rows without a right result: copy/row1 "
              "(new: 6 of 6 processes wrong)");
    auto again = step({slower}, {driver});
    again.report.rows[0].change.drift = 0.029;
    EXPECT_EQ(words(again),
              "since 2026-11-21 (driver changed): copy/row0 slower by 3.1 %; with the old driver again it "
              "is still up to +2.9 %");
    EXPECT_EQ(words(step({slower}, {driver, kernel})),
              "since 2026-11-21 (driver, kernel changed): copy/row0 slower by 3.1 %; cause not separated");
    EXPECT_EQ(words(step({same, same}, {driver})), "since 2026-11-21 (driver changed): no change in 2 rows");
    EXPECT_EQ(words(step({same, undecided}, {})),
              "since 2026-11-21: no row is sure to have changed, 1 undecided (1 lean slower, 0 faster)");
}

TEST(Page, HasNoCardOfWhatWasNotMeasured) {
    const auto page = html_of(with_sizes());
    const auto cards =
        page.substr(page.find("<dl class=numbers>"), page.find("</dl>") - page.find("<dl class=numbers>"));
    EXPECT_EQ(count_of(cards, "<dt>"), count_of(cards, "<dd><b>"));
    EXPECT_EQ(cards.find("not measured"), std::string::npos);
    EXPECT_EQ(count_of(page, "<p class=missing>Not measured: "), 1U);
}

TEST(Page, ComparesPageableWithPinnedCopiesOfOneSize) {
    std::vector<MeasurementRow> rows;
    for (const std::int64_t bytes : {1LL << 20, 1LL << 28})
        for (auto& row : processes_of("copy/host_to_device/pinned", {{"bytes", bytes}}, bytes, 1e-3))
            rows.push_back(std::move(row));
    for (auto& row :
         processes_of("copy/host_to_device/pageable", {{"bytes", 1 << 20}, {"pages", "touched"}}, 1 << 20, 2e-3))
        rows.push_back(std::move(row));
    const auto shown = headlines(measured(rows)).at(2);
    EXPECT_EQ(shown.detail.find("host to device, 1 MiB; pageable by the "), 0U) << shown.detail;
}

TEST(Page, DrawsNoLineThroughTwoPoints) {
    std::vector<MeasurementRow> rows;
    for (const std::int64_t bytes : {1LL << 20, 1LL << 28})
        for (auto& row : processes_of("copy/host_to_device/pinned", {{"bytes", bytes}}, bytes, 1e-3))
            rows.push_back(std::move(row));
    EXPECT_EQ(count_of(html_of(measured(rows)), "<path class=\"line\" d="), 0U);
    EXPECT_GT(count_of(html_of(measured(rows)), "<path class=\"line apart\" d="), 0U);
    EXPECT_GT(count_of(html_of(with_sizes()), "<path class=\"line\" d="), 0U);
}

TEST(Page, PairsOfGpusAreATableThatNamesTheSlowestAndTheWrong) {
    auto rows = processes_of_pairs();
    const auto page = html_of(measured(rows));
    const auto table = page.substr(std::min(page.size(), page.find("<h4>pairs/copy by=push 64 MiB, GB/s</h4>")));
    EXPECT_NE(table.find("Slowest: 1 to 0, 16.74 GB/s; the fastest has 66.94 GB/s."), std::string::npos) << table;
    EXPECT_NE(table.find("No valid value: 1 to 2 (wrong)."), std::string::npos) << table;
    std::erase_if(rows, [](const MeasurementRow& row) { return row.samples.parameters.at("from") == Value(1); });
    EXPECT_NE(html_of(measured(rows)).find("All alike: 66.94 GB/s."), std::string::npos);
    EXPECT_NE(table.find("<tr><th>1<td>16.74<td>-<td>wrong"), std::string::npos) << table;
}

TEST(Page, HostileTextsBecomeNoMarkup) {
    const std::string hostile = "\"><script>alert('x')</script><img src=x onerror=alert(1)>\x1b]0;\x07</title></pre>";
    auto report = with_sizes();
    auto& run = report.runs.front();
    run.about.machine.host = run.about.machine.cpu = run.about.gpus.front().name = hostile;
    run.files = {hostile};
    for (auto& row : run.measured.rows) {
        row.benchmark = "copy/" + hostile + "/" + hostile;
        row.flags = {hostile};
        row.peak.source = hostile;
    }
    run.measured.rows.front().parameters[hostile] = Value(hostile);
    run.scenarios = {scenario(hostile)};
    run.scenarios.front().name = run.scenarios.front().variant = hostile;
    report.statements["000-04"] = hostile;
    report.warnings = {hostile};
    const auto page = html_of(report);
    EXPECT_EQ(count_of(page, "<script"), 1U);
    EXPECT_EQ(count_of(page, "</script"), 1U);
    EXPECT_EQ(count_of(page, "<img"), 0U);
    EXPECT_EQ(count_of(page, "</title>"), 1U + count_of(page, "<svg class=chart"));
    EXPECT_EQ(page.find('\x1b'), std::string::npos);
    EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
    const auto digest = digest_of(report);
    EXPECT_EQ(count_of(digest, "<"), 0U);
    EXPECT_EQ(count_of(digest, "![x]"), 0U);
}

TEST(Page, OfARealRunWithStandInsIsNotCalledSimulated) {
    auto report = with_sizes();
    auto& run = report.runs.front();
    run.scenarios = {scenario("one"), scenario("two")};
    run.scenarios.back().evidence.device = Device::simulated;
    EXPECT_EQ(html_of(report).find("SIMULATED"), std::string::npos);
    EXPECT_EQ(digest_of(report).find("SIMULATED"), std::string::npos);
    run.about.device = Device::simulated;
    EXPECT_NE(html_of(report).find("SIMULATED"), std::string::npos);
}

MemoryReplay replay_of_memory() {
    constexpr std::int64_t mebibyte = 1 << 20;
    MemoryReplay memory{.file = "train<.json"};
    auto& replayed = memory.replayed;
    replayed.source.events = 300;
    replayed.torch = "2.15.0";
    replayed.same = {.reproduced = true, .reserved_peak_bytes = 1544 * mebibyte};
    for (const auto* settings : {"", "max_split_size_mb:128", "expandable_segments:True"}) {
        const auto reserved = (*settings == 'e' ? 1392 : 1544) * mebibyte;
        ReplayRow row{.torch = "2.15.0", .settings = settings, .survived = true, .reserved_peak_bytes = reserved};
        row.course = {{10, 200, 300}, {mebibyte, 900 * mebibyte, 20 * mebibyte}, {20 * mebibyte, reserved, reserved}};
        row.basis = row.smallest_basis = "exact";
        row.smallest_bytes = *settings == 'e' ? 1386 * mebibyte : 1446 * mebibyte;
        replayed.rows.push_back(row);
        replayed.rows.push_back({.torch = "2.15.0",
                                 .settings = settings,
                                 .capacity_bytes = 1250 * mebibyte,
                                 .survived = false,
                                 .oom = ReplayOutOfMemory{210, 32 * mebibyte, "train.py:9"},
                                 .basis = "exact"});
    }
    return memory;
}

TEST(Page, ShowsMemoryBySettingWithItsFailures) {
    auto report = with_sizes();
    report.memory = {replay_of_memory()};
    const auto page = html_of(report);
    EXPECT_EQ(count_of(page, "<h2 id=memory>"), 1U);
    EXPECT_NE(page.find("</svg> default, max_split_size_mb:128<"), std::string::npos) << "equal courses are one curve";
    EXPECT_NE(page.find("</svg> expandable_segments:True<"), std::string::npos);
    EXPECT_EQ(count_of(page, "<path class=failure"), 3U);
    EXPECT_NE(page.find("capacity 1250 MiB"), std::string::npos);
    EXPECT_NE(page.find("smallest 1446 MiB -&gt; 1386 MiB"), std::string::npos);
    EXPECT_EQ(page.find("train<"), std::string::npos);
    for (auto& row : report.memory[0].replayed.rows)
        if (row.course) row.course->events.resize(100), row.course->reserved_bytes.resize(100, 1);
    EXPECT_GT(count_of(html_of(report), "<path class=\"line plain\" d="), 0U) << "hundreds of markers hide a line";
}

TEST(Page, OfMemoryAloneHasItInItsTitle) {
    Report report;
    report.memory = {replay_of_memory()};
    const auto page = html_of(report);
    EXPECT_NE(page.find("<h1>train&lt;.json: reserved peak 1544 MiB, smallest 1446 MiB, fails with 1250 MiB</h1>"),
              std::string::npos)
        << page.substr(0, 3000);
    EXPECT_EQ(count_of(page, "Not measured"), 0U);
    const auto digest = digest_of(report);
    EXPECT_NE(digest.find("- **memory** train&lt;.json: reserved peak 1544 MiB"), std::string::npos) << digest;
    EXPECT_NE(digest.find("Try: PYTORCH"), std::string::npos) << digest;
}

TEST(Page, AllowsItsOwnScriptAndStyleAndNoRequest) {
    const auto page = html_of(with_sizes());
    EXPECT_EQ(count_of(page, "default-src 'none'; style-src 'sha256-"), 1U);
    EXPECT_EQ(count_of(page, "; script-src 'sha256-"), 1U);
    for (const auto* part : {"http://", "https://", " src=", "@import", "url(h", "style=\"", " onclick="})
        EXPECT_EQ(count_of(page, part), 0U) << part;
}

TEST(Page, TablesHoldTheNumbersOfTheRows) {
    const auto report = with_sizes();
    const auto page = html_of(report);
    for (const auto& row : report.runs.front().measured.rows) {
        const auto bytes = static_cast<double>(row.bytes_one_way);
        for (const double rate : {*row.bytes_per_second_one_way, bytes / row.interval->high, bytes / row.interval->low})
            EXPECT_NE(page.find("<td>" + gigabytes_text(rate)), std::string::npos) << rate;
    }
    for (const auto& fit : report.runs.front().measured.fits)
        EXPECT_NE(page.find("<td>" + gigabytes_text(*fit.bytes_per_second)), std::string::npos);
}

TEST(Page, TablesNameAMechanismOnce) {
    const auto page = html_of(with_sizes());
    EXPECT_EQ(count_of(page, "<th rowspan=3>pinned<td>4 KiB<td>"), 1U);
    EXPECT_EQ(page.find("<th scope=col class=t>notes"), std::string::npos) << "a column without a value";
}

TEST(Page, WhatMovesNothingIsShownAsTime) {
    std::vector<MeasurementRow> rows;
    for (const std::int64_t bytes : {4096, 1 << 20})
        for (auto& row : processes_of("allocate/pinned", {{"bytes", bytes}}, bytes, 2e-6)) {
            row.samples.bytes_touched = 0;
            rows.push_back(row);
        }
    const auto page = html_of(measured(rows));
    EXPECT_NE(page.find("allocate/: time against size"), std::string::npos);
    EXPECT_EQ(page.find("allocate/: bandwidth"), std::string::npos);
}

TEST(Page, OperationsASecondStandBesideTimes) {
    std::vector<MeasurementRow> rows;
    for (const auto* name : {"arithmetic/divide", "arithmetic/fma"})
        for (const auto& [what, items, seconds] : {std::tuple("latency", 0, 6e-9), std::tuple("rate", 2'000'000, 1e-5)})
            for (auto& row : processes_of(name, {{"what", what}}, 0, seconds)) {
                row.samples.items = items;
                rows.push_back(row);
            }
    const auto report = measured(rows);
    const auto page = html_of(report);
    EXPECT_NE(page.find("<th scope=col>10^9 operations a second"), std::string::npos);
    for (const auto& row : report.runs.front().measured.rows)
        if (row.items > 0) {
            EXPECT_NE(page.find("<td>" + gigabytes_text(*row.items_per_second)), std::string::npos);
        }
    EXPECT_NE(page.find("arithmetic/: measured rows"), std::string::npos) << "all in one table";
    EXPECT_EQ(html_of(with_sizes()).find("operations a second"), std::string::npos);
}

TEST(Page, CyclesStandBesideTheTime) {
    auto rows = processes_of("latency/device", {{"bytes", 1 << 16}}, 0, 18e-9);
    EXPECT_EQ(html_of(measured(rows)).find("<th scope=col>cycles"), std::string::npos);
    for (auto& row : rows) row.samples.cycles = 33.25;
    const auto page = html_of(measured(rows));
    EXPECT_NE(page.find("<th scope=col>cycles"), std::string::npos);
    EXPECT_NE(page.find("<td>33.25"), std::string::npos);
}

TEST(Page, TailStandsBesideTheTime) {
    auto rows = processes_of("calls/launch", {{"what", "submit"}}, 0, 2e-6);
    EXPECT_EQ(html_of(measured(rows)).find("<th scope=col>p99"), std::string::npos);
    for (auto& row : rows) row.samples.tail = SingleTimes{.of = 1000, .p50 = 2e-6, .p99 = 3.25e-6, .largest = 45e-6};
    const auto page = html_of(measured(rows));
    EXPECT_NE(page.find("<th scope=col>p99, us<th scope=col>largest, us"), std::string::npos);
    EXPECT_NE(page.find("<td>3.25<td>45"), std::string::npos);
}

TEST(Page, NamesTheRunAtEachFigure) {
    const auto page = html_of(with_sizes());
    ASSERT_GT(count_of(page, "<figure "), 2U);
    EXPECT_EQ(count_of(page, "<figure "), count_of(page, std::string("<p class=source>run ") + run_id));
    EXPECT_EQ(count_of(page, "<figure "), count_of(page, "<details class=numbers>"));
}

TEST(Page, SaysSimulatedOnlyOfSimulatedRuns) {
    auto report = with_sizes();
    EXPECT_EQ(html_of(report).find("SIMULATED"), std::string::npos);
    auto simulated = report.runs.front();
    simulated.about.device = Device::simulated;
    for (auto& row : simulated.measured.rows) row.device = Device::simulated;
    report.runs.push_back(simulated);
    const auto page = html_of(report);
    EXPECT_EQ(count_of(page, "<title>in part SIMULATED: NVIDIA H200 and SIMULATED NVIDIA H200, "), 1U);
    EXPECT_EQ(count_of(page, "<dd>NVIDIA H200<dd>"), count_of(page, "<dd>SIMULATED NVIDIA H200<dd>"));
    EXPECT_EQ(count_of(page, ", on a SIMULATED GPU</h4>"), count_of(page, ", SIMULATED</p>"));
    EXPECT_GT(count_of(page, ", SIMULATED</p>"), 1U);
    EXPECT_NE(digest_of(report).find("device, pinned, SIMULATED NVIDIA H200: "), std::string::npos);
    report.runs.erase(report.runs.begin());
    EXPECT_EQ(count_of(html_of(report), "<title>SIMULATED NVIDIA H200, "), 1U);
}

TEST(Page, ShowsRowsWithoutTimeWithTheirReason) {
    auto report = with_sizes();
    auto& row = report.runs.front().measured.rows.front();
    row.status = Status::wrong;
    row.because = "byte 7 differs";
    const auto page = html_of(report);
    EXPECT_NE(page.find("<td class=t>wrong: byte 7 differs"), std::string::npos);
    EXPECT_NE(page.find("<ul class=warnings>"), std::string::npos);
}

TEST(Page, UnexpectedClaimsComeFirst) {
    auto report = with_sizes();
    report.runs.front().scenarios = {scenario("it moved")};
    EXPECT_NE(html_of(report).find("Every claim as expected"), std::string::npos);
    report.runs.front().status = "partial";
    EXPECT_NE(html_of(report).find("Incomplete: every claim reached as expected"), std::string::npos);
    report.runs.front().scenarios.front().claims.front().verdict = Verdict::reproduced;
    const auto page = html_of(report);
    EXPECT_NE(page.find("1 claim unexpected"), std::string::npos);
    EXPECT_LT(page.find("UNEXPECTED"), page.find("<table"));
}

TEST(Page, FullMeasurementIsAtMost500Kilobytes) {
    std::vector<MeasurementRow> rows;
    for (int benchmark = 0; benchmark < 64; ++benchmark)
        for (int set = 0; set < 28; ++set) {
            const auto bytes = std::int64_t{4096} << (set % 14);
            const auto name =
                "copy/family_" + std::to_string(benchmark / 8) + "/mechanism_" + std::to_string(benchmark);
            const auto some = processes_of(name, {{"bytes", bytes}, {"pages", Value(set < 14 ? "touched" : "huge")}},
                                           bytes, 2e-6 * (1 + benchmark) + static_cast<double>(bytes) / 60e9);
            rows.insert(rows.end(), some.begin(), some.end());
        }
    const auto report = measured(rows);
    ASSERT_EQ(report.runs.front().measured.rows.size(), 1792U);
    EXPECT_LE(html_of(report).size(), page_most);
}

TEST(Redacted, LeavesNoHostUuidPathBootOrSession) {
    auto report = with_sizes();
    report.redacted = true;
    report.runs.front().scenarios = {scenario("on node17: cannot open /usr/lib/libcuda.so.1 of " + std::string(gpu_id) +
                                              ", ~/data and "
                                              "99999999-2222-4333-8444-555555555555")};
    report.warnings = {"/home/someone/results/file.jsonl:7: torn", "1xH200 -> 2x/home/someone/slow.json"};
    for (const auto& text : {html_of(report), digest_of(report)}) {
        for (const auto* part : {"node17", "70c0da00", "aaaaaaaa-", "bbbbbbbb-", "99999999-", "/home/", "/usr/",
                                 "/opt/", "~/data", "someone"})
            EXPECT_EQ(text.find(part), std::string::npos) << part;
        EXPECT_NE(text.find(run_id), std::string::npos);
    }
    EXPECT_NE(html_of(report).find("copy/host_to_device/"), std::string::npos);
    EXPECT_NE(html_of(report).find("GB/s"), std::string::npos);
}

TEST(Redacted, LeavesWhatIsOurs) {
    auto report = with_sizes();
    const auto page = html_of(report);
    report.redacted = true;
    report.runs.front().about.machine.host = "M46";
    const auto redacted = html_of(report);
    const auto policy = page.find("default-src");
    EXPECT_EQ(redacted.substr(redacted.find("default-src"), 160), page.substr(policy, 160));
    EXPECT_EQ(count_of(redacted, "d=\"M"), count_of(page, "d=\"M"));
}

TEST(Redacted, ReplacesNamesOnlyWhereTheyStandAlone) {
    auto run = run_line();
    run.machine.host = "vm";
    const Redaction redaction(std::vector<RunLine>{run});
    EXPECT_EQ(redaction("vm: vmap, (vm) 3.5 GB/s of copy/a/b and/or c"),
              "host1: vmap, (host1) 3.5 GB/s of copy/a/b and/or c");
    EXPECT_EQ(redaction("see /a/b.txt, ../c and ./d"), "see [path], [path] and [path]");
    EXPECT_EQ(Redaction()("vm /a/b"), "vm /a/b");
}

TEST(Digest, HasAtMost25LinesAndTheRun) {
    auto report = with_sizes();
    report.warnings.assign(100, "something is torn");
    for (int i = 0; i < 30; ++i) {
        auto row = scenario("it moved");
        row.claims = {{"000-" + std::to_string(10 + i), Verdict::reproduced, Verdict::refuted, "it moved"}};
        row.variant = std::to_string(i);
        report.runs.front().scenarios.push_back(row);
    }
    const auto digest = digest_of(report);
    EXPECT_LE(count_of(digest, "\n"), 25U);
    EXPECT_NE(digest.find(run_id), std::string::npos);
    EXPECT_NE(digest.find("GB/s"), std::string::npos) << digest;
    EXPECT_NE(digest.find("\n- **true**: 000-10, 000-11, "), std::string::npos) << digest;
}

TEST(Digest, CutsLongLinesWhereAWordEnds) {
    auto report = with_sizes();
    report.warnings = {std::string(300, 'a') + " " + std::string(300, 'b')};
    EXPECT_NE(digest_of(report).find(std::string(300, 'a') + " ...\n"), std::string::npos) << digest_of(report);
}

TEST(Report, NamesHostsOnOneSideAndGpusThatMoved) {
    auto report = with_sizes();
    ChangeReport compared;
    compared.hosts_before = {"node03"};
    compared.gpus_after = {"node04 GPU-8"};
    compared.moved = {{"GPU-7", "node01", "node02"}};
    report.changes = {{"old", "new", compared}};
    for (const auto& text : {html_of(report), digest_of(report)}) {
        EXPECT_NE(text.find("1 host on the old side only, and no witness: node03"), std::string::npos) << text;
        EXPECT_NE(text.find("1 GPU on the new side only: node04 GPU-8"), std::string::npos) << text;
        EXPECT_NE(text.find("1 GPU moved, whose hosts count as one: GPU-7 node01"), std::string::npos) << text;
    }
}

TEST(Digest, SaysWhereUndecidedRowsLean) {
    auto report = with_sizes();
    ChangeReport compared;
    compared.rows.resize(3);
    for (auto& row : compared.rows) row.change = {.verdict = ChangeVerdict::undecided, .change = 0.03, .margin = 0.01};
    compared.rows.back().change.change = 0.001;
    compared.after.runs = {{.run = report.runs.back().about}};
    report.changes = {{"old", "new", compared}};
    EXPECT_NE(digest_of(report).find(" undecided (2 lean slower, 0 faster), "), std::string::npos) << digest_of(report);
}

}  // namespace
}  // namespace tocuda::page
