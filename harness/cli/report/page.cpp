// tocuda, Apache-2.0.
// Puts the parts of a page together.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "page_files.hpp"  // style.css and filter.js, as the build wrote them
#include "printing/verdict_table.hpp"
#include "report/parts.hpp"
#include "report/report.hpp"

namespace tocuda::page {
namespace {

constexpr std::size_t most_warnings = 8;  // on the first screen without a click

// Of digits in hexadecimal: the form in which a page names the scripts that may run.
std::string base64_of(std::string_view digits) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto value = [](char digit) { return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10); };
    std::string result;
    unsigned bits = 0;
    int held = 0;
    for (const char digit : digits) {
        bits = (bits << 4U) | value(digit);
        for (held += 4; held >= 6; held -= 6) result += letters[(bits >> static_cast<unsigned>(held - 6)) & 63U];
    }
    if (held > 0) result += letters[(bits << static_cast<unsigned>(6 - held)) & 63U];
    while (result.size() % 4 != 0) result += '=';
    return result;
}

void add_head(Html& html, const Report& report) {
    html.add(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy "
        "content=\"default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'\">\n<meta name=viewport "
        "content=\"width=device-width, initial-scale=1\">\n<meta name=color-scheme content=\"light dark\">\n",
        OwnText{base64_of(page_files::style_sha256)}, OwnText{base64_of(page_files::script_sha256)});
    html.add("<title>{} (tocuda)</title>\n", title_of(report));
    html.add_file("style", page_files::style);
    html.add("\n</head>\n<body>\n{}", markers(html.redaction()));
}

// A card for each number, of several models with that of each; what was not measured is a line of commands, if anything
// was.
void add_numbers(Html& html, const Report& report) {
    const auto all = headlines(report);
    const auto is_measured = [](const Headline& one) { return !one.value.empty(); };
    if (std::ranges::none_of(all, is_measured)) return;
    html.add("<dl class=numbers>");
    std::string card;
    for (const auto& [what, value, detail, model] : all) {
        if (value.empty()) continue;
        if (what != card && !card.empty()) html.add("</div>");
        if (what != card) html.add("<div><dt>{}", what);
        card = what;
        if (model.empty()) html.add("<dd><b>{}</b><dd>{}", value, detail);
        else html.add("<dd>{}<dd><b>{}</b><dd>{}", model, value, detail);
    }
    html.add("</div></dl>");
    if (report.runs.size() > 1)
        html.add("<p class=source>Each number is of the newest of {} runs that has it.</p>", report.runs.size());
    if (std::ranges::all_of(all, is_measured)) return;
    html.add("<p class=missing>Not measured:");
    std::string_view between = " ";
    for (const auto& one : all)
        if (!is_measured(one)) {
            html.add("{}{}{} (<code>{}</code>)", between, one.what, one.model.empty() ? "" : " of " + one.model,
                     one.detail);
            between = ", ";
        }
    html.add("</p>");
}

Html first_screen(const Report& report, const Redaction& redaction) {
    Html html(redaction);
    const auto claims = claims_words(report);
    if (report.fleet || !report.changes.empty() || !report.not_compared.empty())
        html.add("<p class=verdicts><b>{}.</b></p>", verdict_words(report));
    if (!claims.empty()) {
        const auto scenarios = newest_scenarios(report);
        const auto totals = totals_line(tally(scenarios.rows));
        html.add("<p class=verdicts><b>{}.</b> {}.</p>", claims, totals.substr(0, totals.find(';')));
        html.add("<p>{}</p>", where_it_ran(report.runs[scenarios.runs.back()].about, scenarios.rows, 0, page_paper()));
        const auto unexpected = unexpected_claims(scenarios.rows, report.statements, page_paper());
        if (!unexpected.empty()) {
            html.add("<pre class=alarm>");
            for (const auto& line : filled_lines(unexpected)) html.add("{}\n", line);
            html.add("</pre>");
        }
    }
    add_numbers(html, report);
    if (const auto warnings = warnings_of(report); !warnings.empty()) {
        html.add("<h3>Warnings</h3><ul class=warnings>");
        for (std::size_t i = 0; i < warnings.size(); ++i) {
            if (i == most_warnings)
                html.add("</ul><details><summary>{} more</summary><ul class=warnings>", warnings.size() - i);
            html.add("<li>{}", warnings[i]);
        }
        html.add("</ul>");
        if (warnings.size() > most_warnings) html.add("</details>");
    }
    return html;
}

// The newest first. Without files if these are to be left out.
void add_runs(Html& html, const Report& report) {
    if (report.runs.empty()) return;
    const auto machines = machine_words(report);
    const bool many = report.runs.size() > 2;
    if (many) html.add("<details><summary>{} runs</summary>", report.runs.size());
    html.add("<ul class=runs>");
    for (auto run = report.runs.rbegin(); run != report.runs.rend(); ++run) {
        html.add("<li>run <code>{}</code> {} <b>{}</b>{}", run->about.run, run->about.time, run->about.verb,
                 is_simulated(*run) ? ", SIMULATED" : "");
        if (const auto machine = machine_words(run->about, report.redacted);
            machines.size() > 1 || machine != machines.front())
            html.add(", {}", machine);
        if (!report.redacted)
            for (const auto& file : run->files) html.add(", <code>{}</code>", file.substr(file.rfind('/') + 1));
    }
    html.add("</ul>");
    if (many) html.add("</details>");
}

void add_foot(Html& html, const Report& report) {
    const auto& suite = report.runs.back().about.suite;
    html.add("<footer><p>tocuda {} {}. Every number in full: <code>tocuda judge FILE --json</code>{}</p></footer>\n",
             suite.version, suite.commit.value_or("").substr(0, 12),
             report.redacted ? ". Host, UUIDs, paths, boot and session are left out." : "");
}

struct Part {
    const char* id;
    const char* name;
    Html html;
};

}  // namespace

std::string html_of(const Report& report) {
    std::vector<RunLine> abouts;
    for (const auto& run : report.runs) abouts.push_back(run.about);
    const auto redaction = report.redacted ? Redaction(abouts) : Redaction();
    Figures figures(redaction);
    const std::array parts{
        Part{"glance", "At a glance", first_screen(report, redaction)},
        Part{"sheet", "Data sheet", data_sheet_part(report, figures, redaction)},
        Part{"published", "Published elsewhere", published_part(report, redaction)},
        Part{"changes", changes_name(report), changes_part(report, figures, redaction)},
        Part{"fleet", "Fleet", fleet_part(report, figures, redaction)},
        Part{"claims-part", "Claims", claims_part(report, redaction)},
        Part{"fragmentation", "Fragmentation", fragmentation_part(report, figures, redaction)},
        Part{"memory", "Memory", memory_part(report, figures, redaction)},
        Part{"measurements", "Measurements", measurements_part(report, figures, redaction)},
        Part{"evidence", "Evidence", evidence_part(report, redaction)},
    };
    Html html(redaction);
    add_head(html, report);
    if (const auto simulated = simulated_words(report); !simulated.empty())
        html.add(
            "<p class=band role=note><b>{}</b>: {}made with simulated GPUs. Their times say nothing about real "
            "ones.</p>\n",
            simulated, simulated == "SIMULATED" ? "" : "what has this mark was ");
    html.add("<header><h1>{}</h1>", title_of(report));
    for (const auto& machine : machine_words(report)) html.add("<p class=machine>{}</p>", machine);
    add_runs(html, report);
    html.add("<nav aria-label=Parts>");
    for (const auto& part : parts)
        if (!part.html.empty()) html.add("<a href=\"#{}\">{}</a> ", part.id, part.name);
    html.add("</nav></header>\n<main>\n");
    for (const auto& part : parts)
        if (!part.html.empty()) html.add("<section><h2 id={0}>{1}</h2>{2}</section>\n", part.id, part.name, part.html);
    html.add("</main>\n");
    if (!report.runs.empty()) add_foot(html, report);
    html.add_file("script", page_files::script);
    html.add("\n</body>\n</html>\n");
    return html.text();
}

}  // namespace tocuda::page
