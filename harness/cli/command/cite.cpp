// tocuda, Apache-2.0.
// `tocuda cite`: prints a row or claim of a result file as a line to quote, or every reason why it is not citable.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "command/compared_files.hpp"
#include "execution/rejudging.hpp"
#include "json_lines/build_line.hpp"
#include "json_lines/documents.hpp"
#include "machine/suite.hpp"
#include "model/words.hpp"
#include "printing/citation.hpp"
#include "request/catalogue.hpp"
#include "request/row_choice.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

struct Cited {
    std::string file{};
    Words row{};
    bool bibtex = false;
    bool json = false;
};

// Prints the line to quote, or every reason against it. `what` is a row or a claim.
template <class What>
int print(const Cited& cited, const std::string& name, const RunLine& about, const What& what, const Citation& citation,
          const std::vector<std::string>& reasons) {
    if (!reasons.empty()) {
        complain(fmt::format("tocuda: {}: {} is not citable:", cited.file, name));
        for (const auto& reason : reasons) complain("  " + reason);
        if (cited.json) print_document(cite_document(about, what, {}, {}, reasons));
        return finding;
    }
    if (cited.json) print_document(cite_document(about, what, citation.text, citation.bibtex, {}));
    else fmt::print("{}\n", cited.bibtex ? citation.bibtex : citation.text);
    return as_expected;
}

// The claim by today's judges, on the evidence that was recorded. `by` is the run that recorded it.
CitedClaim by_todays_judges(const Catalogue& catalogue, const CitedClaim& recorded, const RunLine& by) {
    std::vector<Unavailable> ignored;
    const auto here = this_suite(ignored);
    if (here.commit == by.suite.commit && !here.dirty && !by.suite.dirty) return recorded;
    std::vector<const Row*> rows;
    for (const auto& row : recorded.rows) rows.push_back(&row);
    auto today = recorded;
    today.rows.clear();
    bool all_judged = true;
    for (auto& judged : judge_again(catalogue, rows, 0, [](const Row&) {})) {
        all_judged = all_judged && judged.asked;
        std::erase_if(judged.is.claims, [&](const ClaimVerdict& one) { return one.id != recorded.summary.id; });
        if (!judged.is.claims.empty()) today.rows.push_back(std::move(judged.is));
    }
    if (!all_judged || today.rows.empty()) {
        complain(fmt::format("tocuda: {}: its verdict was given by {} and cannot be judged again here",
                             recorded.summary.id, version_text({.suite = by.suite})));
        return recorded;
    }
    today.summary = tally(today.rows).claims.front();
    if (today.summary.verdict == recorded.summary.verdict) return recorded;
    today.judged_again = fmt::format("recorded as {}, judged again by {}", plain_word(recorded.summary.verdict),
                                     version_text({.suite = here}));
    return today;
}

int cite_claim(const Catalogue& catalogue, const Cited& cited, const CitedFile& file, const CitedClaim& recorded) {
    const auto claim =
        least_simulated(by_todays_judges(catalogue, recorded, file.sections.at(recorded.sections.front()).run));
    return print(cited, claim.summary.id, file.sections.at(claim.sections.front()).run, claim.summary,
                 cite(claim, file.sections, file.digests), reasons_against(claim, file));
}

int cite_row(const Cited& cited, const CitedFile& file) {
    const auto rows = file_rows(file.sections);
    if (rows.empty())
        return complain(
            usage, fmt::format("tocuda: {}: no measurement and no claim '{}' in it", cited.file, cited.row.front()));
    const auto chosen = chosen_row(cited.row, rows, file.sections);
    if (!chosen) return complain(usage, fmt::format("tocuda: {}: {}", cited.file, chosen.error().what));
    const auto& row = rows[*chosen];
    return print(cited, name_of(row.summary), file.sections.at(row.sections.front()).run, row.summary,
                 cite(row, file.sections, file.digests), reasons_against(row, file));
}

// Of a folder the newest file that has the claim or the row.
Expected<std::string> newest_with(const Cited& cited) {
    std::error_code failed;
    if (!std::filesystem::is_directory(cited.file, failed)) return cited.file;
    const auto& name = cited.row.front();
    const auto has_it = [&](const Section& section) {
        const auto has_claim = [&](const RecordedRow& one) {
            return std::ranges::find(one.row.claims, name, &ClaimVerdict::id) != one.row.claims.end();
        };
        return std::ranges::any_of(section.rows, has_claim) ||
               std::ranges::any_of(section.measurements, [&](const RecordedMeasurement& one) {
                   return one.row.benchmark == name || one.row.id.starts_with(name);
               });
    };
    auto files = files_at({cited.file});
    if (!files) return problem(files.error());
    std::ranges::sort(*files, std::greater{},  // a name begins with the time
                      [](const std::string& file) { return std::filesystem::path(file).filename(); });
    for (const auto& file : *files)
        if (const auto read = read_recording(file); read && std::ranges::any_of(read->sections, has_it)) return file;
    return problem(fmt::format("{}: no file in this folder has {}", cited.file, name));
}

}  // namespace

int cite_verb(const Words& words) {
    Arguments arguments(
        "cite", "Print a measured number or a verdict as a line to quote.",
        {"FILE " + answering(described_roles(), headline::to_gpu) + " bytes=64MiB", "FILE 002-E2 --bibtex"});
    Cited cited;
    arguments.option("FILE", cited.file, "a result file, or a folder: its newest that has the row", "",
                     Arguments::Presence::required);
    arguments.option("ROW", cited.row, "a claim, a row's id or prefix, or NAME KEY=VALUE...",
                     Arguments::Presence::required);
    arguments.flag("--bibtex", cited.bibtex, "print a BibTeX entry");
    arguments.flag("--json", cited.json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;
    if (cited.bibtex && cited.json)
        return arguments.refuse("--bibtex and --json exclude each other: the document holds both forms");
    const auto file_with_it = newest_with(cited);
    if (!file_with_it) return complain(usage, "tocuda: " + file_with_it.error().what);
    cited.file = *file_with_it;
    auto verified = verify_file(cited.file);
    const auto read = read_recording(cited.file);
    if (!verified) return complain(usage, "tocuda: " + verified.error().what);
    if (!read) return complain(usage, "tocuda: " + read.error().what);
    const auto catalogue = load_catalogue(worker_folders());
    check_verdicts(*read, [&]() -> const Catalogue& { return catalogue; }, *verified);
    const auto file = cited_file(*read, *verified);
    auto statements = statements_of(catalogue);
    const auto& id = cited.row.front();
    if (const auto claim = claim_in(*read, id, statements[id])) return cite_claim(catalogue, cited, file, *claim);
    return cite_row(cited, file);
}

}  // namespace tocuda
