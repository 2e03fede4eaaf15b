// tocuda, Apache-2.0.
#include "command/verdict_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace tocuda {
namespace {

constexpr std::size_t seen_column = 38;
constexpr std::size_t claims_column = 49;

struct Line {
    std::vector<Row> rows;

    std::string device() const {
        std::string words;
        for (const auto device : {Device::real, Device::simulated, Device::none})
            if (std::any_of(rows.begin(), rows.end(),
                            [&](const Row& row) { return row.evidence.device == device && !skipped(row); }))
                words += (words.empty() ? "" : "+") + std::string(device == Device::none ? "no GPU" : word(device));
        return words.empty() ? "-" : words.size() > 10 ? "several" : words;
    }

    static bool skipped(const Row& row) {
        return std::all_of(row.claims.begin(), row.claims.end(),
                           [](const ClaimVerdict& claim) { return claim.verdict == Verdict::skipped; });
    }
};

std::string line_text(const std::string& name, const Line& line, const Paper& paper) {
    const auto variants = line.rows.size() > 1 ? fmt::format(" ({})", line.rows.size()) : std::string();
    const auto head = name + variants;
    const bool fits = columns_of(head) < seen_column;
    auto text = fits ? "" : wrap(head, 0, 2) + "\n";
    text += pad(pad(fits ? head : "", seen_column - 1) + " " + line.device(), claims_column - 1) + " ";
    bool first = true;
    for (const auto& claim : tally(line.rows).claims) {
        if (!first) text += std::string(claims_column, ' ');
        first = false;
        text += pad(claim.id, 9) + paper.word_of(claim.verdict);
        if (is_unexpected(claim.verdict, claim.expected)) text += " " + paper.strong("!");
        text += "\n";
    }
    return first ? text + "\n" : text;
}

}  // namespace

std::string verdict_table(const std::vector<Row>& rows, const Paper& paper) {
    std::map<std::string, Line> lines;
    for (const auto& row : rows) lines[row.name].rows.push_back(row);
    auto text =
        paper.faint(pad(pad("scenario (variants)", seen_column) + "seen on", claims_column) + "claim  verdict") + "\n";
    for (const auto& [name, line] : lines) text += line_text(name, line, paper);
    return text;
}

std::string unexpected_rows(const std::vector<Row>& rows, const Paper& paper) {
    std::string text;
    for (const auto& row : rows)
        for (const auto& claim : row.claims) {
            if (!claim.unexpected()) continue;
            const auto head = fmt::format("! {} {} {}: ", row.name, row.variant, claim.id);
            text += wrap(head + paper.word_of(claim.verdict) + ", expected " + std::string(word(claim.expected)) +
                             ": " + claim.because,
                         0, 2) +
                    "\n";
        }
    return text;
}

std::string totals_line(const Tally& tally) {
    std::string text = fmt::format("{} claim{}:", tally.claims.size(), tally.claims.size() == 1 ? "" : "s");
    for (const auto& [verdict, count] : tally.totals) text += fmt::format(" {} {},", count, word(verdict));
    if (tally.totals.empty()) text += " none,";
    text.back() = ';';
    return text + fmt::format(" {} unexpected", tally.unexpected);
}

}  // namespace tocuda
