// tocuda, Apache-2.0.
// The digest of a report: Markdown to paste into a ticket.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "comparison_input/paired_rows.hpp"
#include "json_lines/visible.hpp"
#include "model/parameter_values.hpp"
#include "printing/change_table.hpp"
#include "printing/models_table.hpp"
#include "printing/pair_matrix.hpp"
#include "printing/replay_table.hpp"
#include "printing/verdict_table.hpp"
#include "report/parts.hpp"
#include "report/report.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr std::size_t most_lines = 25;
constexpr std::size_t longest_line = 400;
constexpr std::size_t most_runs = 3;
constexpr std::size_t most_of_a_kind = 4;  // unexpected claims, warnings, changes

// The text up to where a word ends.
std::string shortened(std::string_view text) {
    if (text.size() <= longest_line) return std::string(text);
    const auto end = std::min(text.rfind(' ', longest_line), longest_line);
    return std::string(text.substr(0, end)) + " ...";
}

// As plain text: nothing that a file holds becomes a link, an image, emphasis or HTML.
std::string in_markdown(std::string_view text) {
    std::string result;
    for (const char letter : visible(shortened(text))) {
        if (letter == '<') result += "&lt;";
        else if (letter == '&') result += "&amp;";
        else {
            if (std::string_view("\\`*_[]!|#~@>").find(letter) != std::string_view::npos) result += '\\';
            result += letter;
        }
    }
    return result;
}

class Digest {
public:
    explicit Digest(const Redaction& redaction) : hidden(redaction) {}

    // `head` is our own and may have markup.
    void line(const std::string& head, std::string_view text) {
        if (lines.size() < most_lines) lines.push_back(head + in_markdown(hidden(text)));
    }
    void list(const std::string& head, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < std::min(texts.size(), most_of_a_kind); ++i) line(head, texts[i]);
        if (texts.size() > most_of_a_kind) line("- ", fmt::format("and {} more", texts.size() - most_of_a_kind));
    }
    std::string text() const {
        std::string all;
        for (const auto& one : lines) all += one + "\n";
        return all;
    }

private:
    const Redaction& hidden;
    std::vector<std::string> lines{};
};

std::vector<std::string> unexpected_in(const Report& report) {
    std::vector<std::string> found;
    for (const auto& claim : tally(newest_scenarios(report).rows).claims)
        if (claim.unexpected > 0)
            found.push_back(fmt::format("{} is {}, {} before: {}", claim.id, plain_word(claim.verdict),
                                        plain_word(claim.expected), claim.because));
    return found;
}

// "- **false**: 000-04, 000-05"
void add_verdicts(Digest& digest, const Tally& claimed) {
    for (const auto& [verdict, count] : claimed.totals) {
        std::vector<std::string> ids;
        for (const auto& claim : claimed.claims)
            if (claim.verdict == verdict) ids.push_back(claim.id);
        if (!ids.empty())
            digest.line(fmt::format("- **{}**: ", plain_word(verdict)), fmt::to_string(fmt::join(ids, ", ")));
    }
}

void add_runs(Digest& digest, const Report& report) {
    for (std::size_t i = 0; i < std::min(report.runs.size(), most_runs); ++i) {
        const auto& about = report.runs[report.runs.size() - 1 - i].about;
        digest.line("- run ", fmt::format("{} ({}, {}): {}", about.run, about.verb, about.time,
                                          machine_words(about, report.redacted)));
    }
    const auto older = std::ssize(report.runs) - static_cast<std::ptrdiff_t>(most_runs);
    if (older > 0) digest.line("- ", "and " + counted(older, "older run"));
}

// Of the newest run that measured pairs of GPUs: which are slow or broken, for each way of copying.
std::vector<std::string> pairs_in(const Report& report) {
    std::vector<std::string> found;
    for (auto run = report.runs.rbegin(); run != report.runs.rend() && found.empty(); ++run) {
        std::vector<const RowSummary*> rows;
        for (const auto& row : run->measured.rows) rows.push_back(&row);
        for (const auto& matrix : pair_matrices(rows)) {
            auto words = (is_simulated(*run) ? "SIMULATED: " : "") + matrix.name + ": " + matrix.extremes();
            if (const auto broken = matrix.broken(); !broken.empty()) words += " " + broken;
            if (matrix.cells.size() > 1) found.push_back(std::move(words));
        }
    }
    return found;
}

// What the newest run of another tool measured: it has none of our headlines.
std::vector<std::string> imported_in(const Report& report) {
    std::vector<std::string> found;
    if (report.runs.empty()) return found;
    for (const auto& row : report.runs.back().measured.rows)
        if (row.imported && row.median_seconds)
            found.push_back(fmt::format("{}: {} {} ({})",
                                        row.benchmark + (row.parameters.empty() ? "" : " ") + plain(row.parameters),
                                        printed_text(row.imported->value), row.imported->unit, row.imported->is));
    return found;
}

void add_changes(Digest& digest, const Report& report) {
    for (const auto& step : report.changes) {
        const auto& compared = step.report;
        const auto fast = compared.models ? models_words(*compared.models) : "";
        if (!fast.empty()) digest.line("- **side by side** ", fast);
        if (fast.empty() || compared_anything(compared))
            digest.line(compared.models ? "- **of both** " : "- **changed** ",
                        step_words(step) + ": " + total_words(compared));
        auto rows = rows_words(compared);
        std::erase(rows, '`');
        if (!rows.empty()) digest.line("- ", rows.substr(1));
        if (const auto assumed = assumed_words(compared); !assumed.empty()) digest.line("- assumed: ", assumed);
        digest.line("- ", attribution_words(compared.attribution));
        digest.list("- ", notes_on(compared));
    }
}

}  // namespace

std::string digest_of(const Report& report) {
    std::vector<RunLine> abouts;
    for (const auto& run : report.runs) abouts.push_back(run.about);
    const auto redaction = report.redacted ? Redaction(abouts) : Redaction();
    Digest digest(redaction);
    const auto simulated = simulated_words(report);
    digest.line(simulated.empty() ? "**tocuda**: "
                                  : "**tocuda, " + simulated + "** (that says nothing about the speed of a real GPU): ",
                title_of(report));
    add_runs(digest, report);
    if (const auto claims = claims_words(report); !claims.empty()) {
        const auto claimed = tally(newest_scenarios(report).rows);
        const auto totals = totals_line(claimed);
        digest.line("- **claims**: ", claims + ". " + totals.substr(0, totals.rfind(';')));
        add_verdicts(digest, claimed);
        digest.list("- **unexpected** ", unexpected_in(report));
    }
    add_changes(digest, report);
    if (report.fleet) {
        auto words = *report.fleet;
        words.simulated = false;
        const auto lines = fleet_lines(words);
        digest.list("- **fleet** ", {lines.begin(), lines.end() - 1});
        digest.line("- **fleet** ", lines.back());
    }
    for (const auto& memory : report.memory)
        digest.line("- **memory** ", memory_words(memory) + ". " + replay_advice(memory.replayed));
    for (const auto& [what, value, detail, model] : headlines(report))
        if (!value.empty())
            digest.line("- ", fmt::format("{}{}{}: {} ({})", what, model.empty() ? "" : ", ", model, value, detail));
    digest.list("- ", imported_in(report));
    digest.list("- **pairs of GPUs** ", pairs_in(report));
    digest.list("- **warning** ", warnings_of(report));
    return digest.text();
}

}  // namespace tocuda::page
