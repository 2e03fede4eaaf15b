// tocuda, Apache-2.0.
// `tocuda verify FILE`: checks that a file is complete, unaltered and plausible, and that its verdicts follow from its
// evidence.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "command/compared_files.hpp"
#include "execution/rejudging.hpp"
#include "json_lines/documents.hpp"
#include "json_lines/visible.hpp"
#include "printing/citation.hpp"
#include "record/sections.hpp"
#include "record/verification.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t problems_shown = 60;

std::set<std::string> claims_in(const Recording& recording) {
    std::set<std::string> ids;
    for (const auto& section : recording.sections)
        for (const auto& row : section.rows)
            for (const auto& claim : row.row.claims) ids.insert(claim.id);
    return ids;
}

// Which rows and claims may be cited.
struct Citable {
    int citable = 0;
    int all = 0;
    std::string why{"it holds no measurement and no verdict"};  // the reasons against the last that may not
};

Citable what_is_citable(const Recording& recording, const Verification& verification) {
    Citable found;
    const auto cited = cited_file(recording, verification);
    const auto add = [&](const std::vector<std::string>& reasons) {
        ++found.all;
        if (reasons.empty()) ++found.citable;
        else found.why = fmt::to_string(fmt::join(reasons, "; "));
    };
    for (const auto& id : claims_in(recording))
        add(reasons_against(least_simulated(*claim_in(recording, id, "")), cited));
    for (const auto& row : file_rows(cited.sections)) add(reasons_against(row, cited));
    return found;
}

std::string place_of(int line) { return line == 0 ? "" : fmt::format("line {}: ", line); }

std::string text_of(const VerifyReport& report, const Verification& verification, const Citable& citable) {
    std::size_t rows = 0;
    for (const auto& section : verification.sections) rows += static_cast<std::size_t>(section.rows);
    const bool is_impossible = report.whole && report.unaltered && !report.problems.empty();
    const auto& sections = verification.sections;
    const bool has_checksums =
        !sections.empty() && std::ranges::all_of(sections, [](const auto& one) { return one.end_line > 0; });
    const auto* alteration = !report.unaltered ? "ALTERED"
                             : has_checksums   ? "unaltered"
                                               : "no checksum tells if altered";
    const auto state =
        fmt::format("{}, {}{}: {} in {} of {}", report.whole ? "whole" : "NOT WHOLE", alteration,
                    is_impossible ? ", but DOES NOT VERIFY" : "", counted(report.problems.size(), "problem"),
                    counted(rows, "row"), counted(verification.sections.size(), "section"));
    auto text = visible(report.file) + "\n  " + wrap(state, 2, 4) + "\n";
    for (std::size_t i = 0; i < std::min(report.problems.size(), problems_shown); ++i) {
        const auto& [what, line] = report.problems[i];
        text += "  " + wrap(place_of(line) + what, 2, 4) + "\n";
    }
    if (report.problems.size() > problems_shown)
        text += fmt::format("  and {} more: --json lists them\n", report.problems.size() - problems_shown);
    for (const auto& note : report.notes) text += "  " + wrap("note: " + note, 2, 4) + "\n";
    const auto citing = !report.why_not_citable.empty() ? "not citable: " + report.why_not_citable
                        : citable.citable == citable.all
                            ? std::string("citable")
                            : fmt::format("citable: {} of {} rows and claims; another is not: {}", citable.citable,
                                          citable.all, citable.why);
    text += "  " + wrap(citing, 2, 4) + "\n";
    for (const auto& section : verification.sections)
        if (section.end_line > 0)
            text += fmt::format("  sha256 {} of the section at line {}\n", section.sha256.substr(0, cited_digits),
                                section.line);
    return text;
}

bool are_digits(const std::string& text) {
    return text.size() >= cited_digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

VerifyReport report_of(const std::string& file, const Verification& verification, const Citable& citable) {
    VerifyReport report{.file = file,
                        .whole = verification.whole,
                        .unaltered = verification.unaltered,
                        .problems = verification.problems,
                        .notes = verification.notes};
    if (!verification.good()) report.why_not_citable = "it does not verify";
    else if (citable.citable == 0) report.why_not_citable = citable.why;
    for (const auto& section : verification.sections) report.sha256.push_back(section.sha256);
    return report;
}

struct Asked {
    std::vector<std::string> files{};
    std::string cited{};
    bool json = false;
};

// Returns the exit code for this file. `reports` are those of the document.
int verify(const std::string& file, const Asked& asked, const std::function<const Catalogue&()>& workers,
           std::vector<VerifyReport>& reports) {
    auto verified = verify_file(file);
    if (!verified) {
        reports.push_back({.file = file, .unreadable = verified.error().what});
        return complain(usage, "tocuda: " + verified.error().what);
    }
    auto& verification = *verified;
    if (!asked.cited.empty())
        if (const auto holds = check_citation(verification, asked.cited); !holds)
            verification.problems.insert(verification.problems.begin(), holds.error());
    const auto read = read_recording(file);
    const auto* recording = read ? &*read : nullptr;
    if (recording) check_verdicts(*recording, workers, verification);
    const auto citable = recording ? what_is_citable(*recording, verification) : Citable{};
    const auto& report = reports.emplace_back(report_of(file, verification, citable));
    if (!asked.json) fmt::print("{}", text_of(report, verification, citable));
    return verification.good() ? as_expected : finding;
}

// "12 files: 11 verify, 1 does not"
std::string total_of(const std::map<int, int>& files) {
    int all = 0;
    for (const auto& [code, count] : files) all += count;
    const auto of = [&](int code) { return files.contains(code) ? files.at(code) : 0; };
    auto text =
        fmt::format("{}: {} {}", counted(all, "file"), of(as_expected), of(as_expected) == 1 ? "verifies" : "verify");
    if (of(finding) > 0) text += fmt::format(", {} {} not", of(finding), of(finding) == 1 ? "does" : "do");
    if (of(usage) > 0) text += fmt::format(", {} cannot be read", of(usage));
    return text;
}

}  // namespace

int verify_verb(const Words& words) {
    Arguments arguments("verify", "Check that result files are complete, unaltered and consistent.",
                        {"results/local/*.jsonl", "--cited 0123456789ab FILE.jsonl"});
    Asked asked;
    arguments.option("FILE", asked.files, "result files, or folders of them", Arguments::Presence::required);
    arguments.option("--cited", asked.cited, "check these 12 digits of a citation", "DIGITS");
    arguments.flag("--json", asked.json, "one document on stdout; of several files its list files");
    if (const auto code = arguments.parse(words)) return *code;
    if (!asked.cited.empty() && !are_digits(asked.cited))
        return arguments.refuse("--cited needs at least the first 12 hexadecimal digits of a sha256");
    auto files = files_at(asked.files);
    if (!files) return complain(usage, "tocuda: " + files.error().what);
    asked.files = *std::move(files);
    if (asked.files.size() > 1 && !asked.cited.empty())
        return arguments.refuse("--cited is about one file; give one FILE");
    std::optional<Catalogue> catalogue;
    const auto workers = [&]() -> const Catalogue& {
        if (!catalogue) catalogue = load_catalogue(worker_folders());
        return *catalogue;
    };
    std::map<int, int> counts;  // by exit code
    std::vector<VerifyReport> reports;
    for (const auto& file : asked.files) ++counts[verify(file, asked, workers, reports)];
    const bool is_one_failure = reports.size() == 1 && !reports.front().unreadable.empty();
    if (asked.json && !is_one_failure) print_document(verify_document(reports));
    if (!asked.json && asked.files.size() > 1) fmt::print("{}\n", total_of(counts));
    return counts.rbegin()->first;
}

}  // namespace tocuda
