// tocuda, Apache-2.0.
// The claims in sentences, and the evidence that each of them links to.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/parameter_values.hpp"
#include "printing/shown_scenario.hpp"
#include "printing/stand_in_words.hpp"
#include "report/parts.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr std::size_t longest_value = 240;
constexpr std::size_t longest_stderr = 600;

// The start of a long text; the file has the rest. No character is split.
std::string start_of(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    auto end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return text.substr(0, end) + fmt::format("... ({} more bytes in the file)", text.size() - end);
}

// As the tables of `run` mark it; a fake driver only fails in a chosen way and simulates no GPU.
std::string_view place_of(const Evidence& evidence) {
    const bool fake = std::any_of(evidence.stand_in.begin(), evidence.stand_in.end(),
                                  [](const std::string& one) { return one.starts_with("driver "); });
    if (fake) return "driver";
    return evidence.device == Device::none ? "cpu" : word(evidence.device);
}

std::string where(const Row& row) {
    std::string text(place_of(row.evidence));
    for (const auto& one : row.evidence.stand_in) text += ", " + stand_in_words(one);
    return text;
}

// The rows that carry the claim: the one that gave the reason first, and those of a scenario together.
std::vector<std::size_t> rows_of(const ClaimSummary& claim, const Scenarios& scenarios) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < scenarios.rows.size(); ++i) {
        const auto& claims = scenarios.rows[i].claims;
        if (std::any_of(claims.begin(), claims.end(), [&](const ClaimVerdict& one) { return one.id == claim.id; }))
            rows.push_back(i);
    }
    const auto& first = scenarios.rows[claim.row].name;
    const auto rank = [&](std::size_t i) {
        return std::tuple(scenarios.rows[i].name != first, scenarios.rows[i].name, i != claim.row);
    };
    std::stable_sort(rows.begin(), rows.end(), [&](auto left, auto right) { return rank(left) < rank(right); });
    return rows;
}

Html claim_row(const ClaimSummary& claim, const Scenarios& scenarios, const Statements& statements,
               const Redaction& redaction) {
    const auto statement = statements.find(claim.id);
    const auto& row = scenarios.rows[claim.row];
    Html html(redaction);
    html.add(
        "\n<tr role=row data-verdict={0} data-unexpected={1}><td role=cell><b class=\"verdict {0}{2}\">{0}</b>"
        "<th role=rowheader scope=row><code>{3}</code> {4}<td role=cell>{5} <span class=place>[{6}]</span>",
        plain_word(claim.verdict), claim.unexpected > 0 ? 1 : 0, claim.unexpected > 0 ? " unexpected" : "", claim.id,
        statement == statements.end() ? "(not stated by this build)" : statement->second, claim.because,
        place_of(row.evidence));
    if (claim.unexpected > 0) html.add(" <b>Unexpected: {} before.</b>", plain_word(claim.expected));
    html.add("<td role=cell>");
    std::string name;
    for (const auto i : rows_of(claim, scenarios)) {
        const auto& one = scenarios.rows[i];
        if (!name.empty()) html.add("{} ", OwnText{one.name == name ? "," : ";"});
        html.add("<a href=\"#e{}\">", i);
        if (one.name != name) html.add("{} ", name = one.name);
        html.add("{}</a>", one.variant);
    }
    return html;
}

// Only shown where scripts run, which is what makes it work.
void add_filter(Html& html, const Tally& totals) {
    html.add(
        "<form class=filter id=filter hidden role=search aria-label=\"Filter the claims\"><label>Verdict <select "
        "id=verdict><option value=\"\">all");
    for (const auto& [verdict, count] : totals.totals)
        html.add("<option value={0}>{0} ({1})", plain_word(verdict), count);
    html.add(
        "<option value=unexpected>unexpected</select></label> <label>Id or word <input id=words type=search>"
        "</label> <output id=shown aria-live=polite></output></form>");
}

}  // namespace

Scenarios newest_scenarios(const Report& report) {
    std::map<std::tuple<std::string, std::string, Device>, std::size_t> known;
    Scenarios newest;
    for (std::size_t run = 0; run < report.runs.size(); ++run)
        for (const auto& row : report.runs[run].scenarios) {
            const auto [found, is_new] =
                known.try_emplace({row.name, row.variant, row.evidence.device}, newest.rows.size());
            if (is_new) {
                newest.rows.push_back(row);
                newest.runs.push_back(run);
            } else {
                newest.rows[found->second] = row;
                newest.runs[found->second] = run;
            }
        }
    return newest;
}

Html claims_part(const Report& report, const Redaction& redaction) {
    const auto scenarios = newest_scenarios(report);
    Html html(redaction);
    if (scenarios.rows.empty()) return html;
    const auto totals = tally(scenarios.rows);
    html.add("<p>Each verdict says whether what the documents state was seen, and where.</p>");
    add_filter(html, totals);
    html.add(
        "<table class=claims role=table id=claims><caption>Claims of the documents, what was seen, and the evidence"
        "</caption><thead role=rowgroup><tr role=row><th role=columnheader scope=col>verdict<th role=columnheader "
        "scope=col>what the documents say<th role=columnheader scope=col>what was seen<th role=columnheader "
        "scope=col>evidence<tbody role=rowgroup>");
    for (const auto& claim : totals.claims) html.add("{}", claim_row(claim, scenarios, report.statements, redaction));
    return html.add("</table>");
}

Html evidence_part(const Report& report, const Redaction& redaction) {
    const auto scenarios = newest_scenarios(report);
    Html html(redaction);
    for (std::size_t i = 0; i < scenarios.rows.size(); ++i) {
        const auto& row = scenarios.rows[i];
        const auto& [device, stand_in, outcome, observations, stderr_tail] = row.evidence;
        // The identifier stands inside, so that a browser opens the details when a link leads to it.
        html.add("<details><summary>{} <b>{}</b> <span>{}</span></summary><div id=e{}><p>{}; run {}. ", row.name,
                 row.variant, where(row), i, describe_end(outcome),
                 short_run(report.runs[scenarios.runs[i]].about.run));
        for (const auto& claim : row.claims)
            html.add("<code>{0}</code> <b class=\"verdict {1}\">{1}</b>{2}: {3}. ", claim.id, plain_word(claim.verdict),
                     claim.unexpected() ? fmt::format(" (expected {})", plain_word(claim.expected)) : "",
                     claim.because);
        html.add("</p>");
        std::string lines;
        for (const auto& [key, value, computed] : observations)
            lines += key + " = " + start_of(plain(value), longest_value) + (computed ? "" : "  (not computed)") + "\n";
        // Escaped line by line, because a single text has a limit.
        html.add("<pre>");
        for (const auto& line : filled_lines(lines)) html.add("{}\n", line);
        if (!stderr_tail.empty()) html.add("stderr:\n{}\n", start_of(stderr_tail, longest_stderr));
        html.add("</pre></div></details>\n");
    }
    return html;
}

}  // namespace tocuda::page
