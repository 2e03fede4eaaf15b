// tocuda, Apache-2.0.
#include "printing/verdict_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "model/scenario.hpp"
#include "model/words.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t claim_column = 9;
constexpr std::size_t said_column = 17;
constexpr std::size_t gap = 2;
constexpr std::size_t lines_of_screenful = 2;  // of a cell; `show` prints the rest
constexpr auto whole = std::string::npos;

// Returns the first that begins so; empty if none does.
std::string one_of(const std::vector<std::string>& fakes, std::string_view start) {
    const auto found =
        std::find_if(fakes.begin(), fakes.end(), [&](const std::string& fake) { return fake.starts_with(start); });
    return found == fakes.end() ? "" : *found;
}

// A fake driver only fails in a chosen way: it simulates no GPU.
std::string_view place_of(const Evidence& evidence) {
    if (!one_of(evidence.stand_in, "driver ").empty()) return "driver";
    return evidence.device == Device::none ? "cpu" : word(evidence.device);
}

bool decided(const Row& row) {
    return std::any_of(row.claims.begin(), row.claims.end(),
                       [](const ClaimVerdict& claim) { return is_decided(claim.verdict); });
}

// A document's example has no claims.
bool ran_as_example(const Row& row) { return row.claims.empty() && row.evidence.outcome.normal(); }

bool showed_something(const Row& row) { return decided(row) || ran_as_example(row); }

// Returns the place that needs no mark: where most needs of a GPU were met.
std::string_view usual_place(const std::vector<Row>& rows) {
    std::map<std::string_view, int> count;
    for (const auto& row : rows)
        if (showed_something(row)) ++count[place_of(row.evidence)];
    for (const std::string_view place : {"real", "simulated"})
        if (count.contains(place)) return place;
    return count.contains("cpu") || count.empty() ? "cpu" : "driver";
}

// Returns the SPEC of most rows, "2x8GiB"; where another was asked for, that one.
std::string usual_simulation(const RunLine& run, const std::vector<Row>& rows) {
    std::map<std::string, int> count;
    for (const auto& row : rows)
        if (const auto& runtime = one_of(row.evidence.stand_in, "runtime "); !runtime.empty()) ++count[runtime];
    const auto most = std::max_element(count.begin(), count.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    const auto usual = most == count.end() ? "GPUs" : most->first.substr(std::string_view("runtime ").size());
    const auto asked = run.plan ? run.plan->where.simulate : "";
    return asked.empty() || asked == usual ? usual : asked + ", and others where a variant needs them";
}

std::string real_gpus(const RunLine& run) {
    std::string text;
    for (const auto& gpu : run.gpus) {
        const auto name = gpu.name.value_or("a GPU");
        if (text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
    }
    const auto count = run.gpus.size() > 1 ? fmt::format("{} GPUs: ", run.gpus.size()) : "";
    return count + text + ", driver " + run.driver.kernel_module.value_or("unknown");
}

// Returns why there is no GPU, in few words; empty if the run does not record it.
std::string why_no_gpu(const RunLine& run) {
    for (const auto& [field, cause] : run.unavailable) {
        if (field != "real_gpus" && field != "gpus") continue;
        if (cause.find("No such file") != std::string::npos && cause.find("libcuda.so.1") != std::string::npos)
            return "libcuda.so.1 is missing";
        return cause.starts_with("none: ") ? cause.substr(std::string_view("none: ").size()) : cause;
    }
    return "";
}

std::string marks_in(const std::vector<Row>& rows, std::string_view usual) {
    std::set<std::string_view> places;
    for (const auto& row : rows)
        if (decided(row) && place_of(row.evidence) != usual) places.insert(place_of(row.evidence));
    std::string text;
    std::size_t left = places.size();
    for (const auto place : places) {
        text += (text.empty() ? " unless marked [" : left == 1 ? " or [" : ", [") + std::string(place) + "]";
        --left;
    }
    return text;
}

// A claim, and the row that speaks for it.
struct Line {
    const ClaimSummary* claim;
    const Row* row;
    std::string said;
    std::string seen;

    std::string family() const { return row->name.substr(0, row->name.find('/')); }
    std::size_t length() const { return said.size() + seen.size(); }
    bool expected() const { return is_decided(claim->verdict) && claim->unexpected == 0; }
};

std::vector<Line> lines_of(const std::vector<Row>& rows, const Tally& totals, const Statements& statements) {
    const auto usual = usual_place(rows);
    std::vector<Line> lines;
    for (const auto& claim : totals.claims) {
        const auto& row = rows.at(claim.row);
        const auto statement = statements.find(claim.id);
        const auto place = place_of(row.evidence);
        const bool marked = place != usual && is_decided(claim.verdict);
        lines.push_back({&claim, &row, statement == statements.end() ? "(not in this build)" : statement->second,
                         (marked ? fmt::format("[{}] ", place) : "") + claim.because});
    }
    return lines;
}

std::vector<std::string> cell(const std::string& text, std::size_t columns, std::size_t lines_most,
                              const Paper& paper) {
    std::vector<std::string> lines(1);
    for (const char letter : wrap(text, 0, 0, columns)) {
        if (letter == '\n') lines.emplace_back();
        else lines.back() += letter;
    }
    if (lines.size() <= lines_most) return lines;
    lines.resize(lines_most);
    auto& last = lines.back();
    const auto more = paper.ellipsis();
    while (columns_of(last) + columns_of(more) > columns)
        last.erase(std::min(last.find_last_of(' '), last.size() - columns_of(more)));
    last += more;
    return lines;
}

// The documents' words get two fifths of the width, or as much as the longest needs.
std::size_t columns_of_said(const std::vector<Line>& lines, const Paper& paper) {
    const auto most = (paper.columns() - said_column - gap) * 2 / 5;
    std::size_t longest = std::string_view("what is said").size();
    for (const auto& line : lines) longest = std::max(longest, columns_of(line.said));
    return std::min(longest, most);
}

std::string verdict_word(const ClaimSummary& claim, const Paper& paper) {
    std::string text(plain_word(claim.verdict));
    for (auto& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const auto padding = std::string(claim_column - text.size(), ' ');
    return (claim.unexpected > 0 ? paper.alarming(text) : paper.in_colour_of(claim.verdict, text)) + padding;
}

std::string text_of(const Line& line, std::size_t said_columns, std::size_t lines_most, const Paper& paper) {
    const auto seen_column = said_column + said_columns + gap;
    const auto said = cell(line.said, said_columns, lines_most, paper);
    const auto seen = cell(line.seen, paper.columns() - seen_column, lines_most, paper);
    auto text = verdict_word(*line.claim, paper) + pad(line.claim->id, said_column - claim_column);
    for (std::size_t i = 0; i < std::max(said.size(), seen.size()); ++i) {
        if (i > 0) text += std::string(said_column, ' ');
        const auto beside = i < seen.size() ? seen[i] : "";
        const auto left = i < said.size() ? said[i] : "";
        text += (beside.empty() ? left : pad(left, said_columns + gap) + beside) + "\n";
    }
    return text;
}

std::string text_of(const std::vector<Line>& lines, std::size_t lines_most, const Paper& paper) {
    const auto said_columns = columns_of_said(lines, paper);
    auto text = paper.faint(std::string(claim_column, ' ') + pad("claim", said_column - claim_column) +
                            pad("what is said", said_columns + gap) + "what was seen") +
                "\n";
    for (const auto& line : lines) text += text_of(line, said_columns, lines_most, paper);
    return text;
}

std::string totals_of(const std::vector<ClaimSummary>& claims, std::string_view whose) {
    std::map<Verdict, int> totals;
    for (const auto& claim : claims) ++totals[claim.verdict];
    auto text = fmt::format("{}{}:", counted(std::ssize(claims), "claim"), whose);
    for (const auto& [verdict, count] : totals) text += fmt::format(" {} {},", count, plain_word(verdict));
    if (totals.empty()) text += " none,";
    text.back() = ';';
    const auto unexpected = std::ranges::count_if(claims, [](const auto& claim) { return claim.unexpected > 0; });
    return text + (unexpected == 0 ? " all as expected" : fmt::format(" {} unexpected", unexpected));
}

// Keeps the shortest line of the commonest verdict in each family.
std::vector<Line> one_a_family(const std::vector<Line>& lines) {
    std::map<std::string, std::map<Verdict, int>> count;
    for (const auto& line : lines) ++count[line.family()][line.claim->verdict];
    std::map<std::string, const Line*> chosen;
    for (const auto& line : lines) {
        auto& best = chosen[line.family()];
        const auto& of = count[line.family()];
        const auto common = [&](const Line& one) { return of.at(one.claim->verdict); };
        if (!best || common(line) > common(*best) || (common(line) == common(*best) && line.length() < best->length()))
            best = &line;
    }
    std::vector<Line> kept;
    for (const auto& line : lines)
        if (chosen[line.family()] == &line) kept.push_back(line);
    return kept;
}

// Claims that are undecided for one reason share a line.
std::string undecided_text(const std::vector<Line>& lines, const Paper& paper) {
    std::map<std::pair<Verdict, std::string>, std::vector<const Line*>> reasons;
    for (const auto& line : lines) reasons[{line.claim->verdict, line.seen}].push_back(&line);
    std::string text;
    for (const auto& [reason, claims] : reasons) {
        const auto ids = joined(claims, ", ", [](const auto& line) { return line->claim->id; });
        text += verdict_word(*claims.front()->claim, paper);
        const auto rows = cell(ids + ": " + reason.second, paper.columns() - claim_column, lines_of_screenful, paper);
        for (const auto& row : rows) text += (&row == &rows.front() ? "" : std::string(claim_column, ' ')) + row + "\n";
    }
    return text;
}

}  // namespace

std::string where_it_ran(const RunLine& run, const std::vector<Row>& rows, double seconds, const Paper& paper) {
    const auto usual = usual_place(rows);
    const auto why = why_no_gpu(run);
    const bool nothing = std::ranges::none_of(rows, showed_something);
    const bool simulated = why.empty() && (nothing ? run.device == Device::simulated : usual == "simulated");
    auto text =
        run.device == Device::real || simulated ? std::string() : "NO GPU" + (why.empty() ? "" : ": " + why) + ". ";
    if (nothing) text += simulated ? "Nothing was seen on SIMULATED GPUs" : "Nothing was seen";
    else if (usual == "real") text += "Seen on " + real_gpus(run);
    else if (usual == "simulated") text += "Seen on SIMULATED " + usual_simulation(run, rows);
    else text += usual == "cpu" ? "Seen on the CPU" : "Seen with a fake driver";
    text += marks_in(rows, usual);
    text += ".";
    const auto took = seconds > 0 ? fmt::format("{:.0f} s", seconds) : "";
    constexpr std::size_t longest_usual = 5;  // "202 s": a few seconds more or less do not break the line elsewhere
    const bool fits = columns_of(text) + gap + std::max(took.size(), longest_usual) <= paper.columns();
    if (!took.empty() && fits) return pad(text, paper.columns() - took.size()) + took;
    return wrap(text + (took.empty() ? "" : " It took " + took + "."), 0, 2, paper.columns());
}

std::string totals_line(const Tally& tally) { return totals_of(tally.claims, ""); }

std::string totals_by_source(const Tally& tally, const Paper& paper) {
    std::vector<ClaimSummary> of_today;
    std::vector<ClaimSummary> others;
    for (const auto& claim : tally.claims) (is_of_today(claim.id) ? of_today : others).push_back(claim);
    if (of_today.empty() || others.empty()) return totals_line(tally);
    return wrap(totals_of(others, " of documents and the field"), 0, 2, paper.columns()) + "\n" +
           wrap(totals_of(of_today, " of today"), 0, 2, paper.columns());
}

std::string totals_text(const std::vector<Row>& rows, const Tally& tally, const Paper& paper) {
    std::set<std::string> examples;
    std::string failed;
    for (const auto& row : rows) {
        if (!row.claims.empty() || row.evidence.outcome.ended == "not_started") continue;
        if (ran_as_example(row)) examples.insert(row.name);
        else failed += fmt::format("\n! {} {}: {}", row.name, row.variant, describe_end(row.evidence));
    }
    const bool only_examples = tally.claims.empty() && !(examples.empty() && failed.empty());
    auto text = only_examples ? std::string() : totals_by_source(tally, paper);
    if (!examples.empty())
        text += fmt::format("{}{} of the documents; what each line did: `tocuda show {}`", text.empty() ? "" : "\n",
                            counted(static_cast<std::int64_t>(examples.size()), "example"), *examples.begin());
    return text + failed;
}

std::string verdict_table(const std::vector<Row>& rows, const Statements& statements,
                          const std::optional<std::string>& screenful_of, const Paper& paper,
                          std::optional<Verdict> only) {
    const auto totals = tally(rows);
    std::vector<Line> expected;
    std::vector<Line> undecided;
    for (auto& line : lines_of(rows, totals, statements))
        if (only ? line.claim->verdict == *only : line.claim->unexpected == 0)
            (is_decided(line.claim->verdict) ? expected : undecided).push_back(line);
    if (!screenful_of) {
        expected.insert(expected.end(), undecided.begin(), undecided.end());
        if (expected.empty()) return only ? fmt::format("no claim is {}\n", plain_word(*only)) : "";
        return text_of(expected, whole, paper);
    }
    const auto shown = one_a_family(expected);
    auto text = shown.empty() ? "" : text_of(shown, lines_of_screenful, paper);
    if (const auto more = expected.size() - shown.size(); more > 0)
        // The command is not wrapped, so that it can be copied.
        text += pad(std::string(paper.ellipsis()), claim_column) +
                fmt::format("{} more; the evidence: `tocuda show {}`; all of them:\n{}tocuda judge {} --all\n", more,
                            shown.front().claim->id, std::string(claim_column, ' '), *screenful_of);
    return text + undecided_text(undecided, paper);
}

Expected<std::optional<Verdict>> verdict_called(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const auto typed = lower(text);
    for (const auto recorded : verdict_words)
        if (const auto verdict = *verdict_of(recorded); typed == plain_word(verdict) || typed == recorded)
            return verdict;
    return problem("--verdict: '" + text + "' is no verdict; use true, false, partly, open, skipped or broken");
}

std::string unexpected_claims(const std::vector<Row>& rows, const Statements& statements, const Paper& paper) {
    const auto totals = tally(rows);
    std::vector<Line> lines;
    for (auto& line : lines_of(rows, totals, statements))
        if (line.claim->unexpected > 0) lines.push_back(line);
    if (lines.empty()) return "";
    const auto said_columns = columns_of_said(lines, paper);
    auto text = paper.alarming("UNEXPECTED") + "\n";
    for (const auto& line : lines) {
        text += text_of(line, said_columns, whole, paper);
        for (const auto& row : rows)
            for (const auto& claim : row.claims) {
                if (claim.id != line.claim->id || !claim.unexpected()) continue;
                const auto why = claim.because == line.claim->because ? "" : ": " + claim.because;
                const auto where = fmt::format("{} {} is {}, expected {}{}", row.name, row.variant,
                                               plain_word(claim.verdict), plain_word(claim.expected), why);
                text += std::string(claim_column, ' ') + wrap(where, claim_column, said_column, paper.columns()) + "\n";
            }
    }
    return text;
}

}  // namespace tocuda
