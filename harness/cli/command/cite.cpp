// tocuda, Apache-2.0.
// `tocuda cite`: prints a row or claim of a result file as a line to quote, or every reason why it is not citable.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

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
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

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
    auto judged = judged_today(catalogue, recorded.rows, by.suite);
    auto today = recorded;
    today.rows.clear();
    for (auto& row : judged.rows) {
        std::erase_if(row.claims, [&](const ClaimVerdict& one) { return one.id != recorded.summary.id; });
        if (!row.claims.empty()) today.rows.push_back(std::move(row));
    }
    if (!judged.all || today.rows.empty()) {
        complain(fmt::format("tocuda: {}: its verdict was given by {} and cannot be judged again here",
                             recorded.summary.id, version_text({.suite = by.suite})));
        return recorded;
    }
    today.summary = tally(today.rows).claims.front();
    if (today.summary.verdict == recorded.summary.verdict) return recorded;
    std::vector<Unavailable> ignored;
    const auto here = this_suite(ignored);
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

bool has_claim(const Recording& recording, const std::string& id) {
    const auto carries_it = [&](const RecordedRow& one) {
        return std::ranges::find(one.row.claims, id, &ClaimVerdict::id) != one.row.claims.end();
    };
    return std::ranges::any_of(recording.sections,
                               [&](const Section& section) { return std::ranges::any_of(section.rows, carries_it); });
}

// What a folder has of the cited row.
class InFolder {
public:
    explicit InFolder(const Words& what) : words(what) {}

    // The files come newest first.
    void read(const std::string& file, const Recording& recording) {
        if (has_claim(recording, words.front()) && with_claim.empty()) with_claim = file;
        const auto sections = cited_file(recording, {}).sections;
        const auto all = file_rows(sections);
        for (const auto& row : all) names.insert(row.summary.benchmark);
        for (const auto position : rows_meant(words, all, sections).value_or(std::vector<std::size_t>{})) {
            const auto& row = all[position];
            const bool simulated = row.summary.device == Device::simulated;
            auto& newest = simulated ? newest_simulated : newest_real;
            if (newest.empty()) newest = file;
            if (simulated || !row.summary.median_seconds) continue;
            rows.push_back(row.summary);
            for (const auto section : row.sections) runs.insert(sections[section].run.run);
        }
    }

    // A real one, if there is any.
    std::string newest() const {
        for (const auto* file : {&with_claim, &newest_real, &newest_simulated})
            if (!file->empty()) return *file;
        return "";
    }
    std::string why_none() const {
        return "no file in this folder has " + words.front() + inside_folder(words.front(), names);
    }

    // "5 runs of 3 GPUs have this row, with medians of 4123.4 to 4225.8 GB/s"; empty of one run, or of several rows.
    std::string beside() const {
        std::set<std::string> ids, gpus;
        for (const auto& row : rows) {
            ids.insert(row.id);
            gpus.insert(row.gpu);
        }
        if (!with_claim.empty() || ids.size() != 1 || runs.size() < 2) return "";
        return fmt::format("{} runs of {} have this row, with medians of {}", runs.size(),
                           counted(std::ssize(gpus), "GPU"), range_of_medians(rows));
    }

private:
    const Words& words;
    std::string with_claim{}, newest_real{}, newest_simulated{};
    std::set<std::string> names{}, runs{};
    std::vector<RowSummary> rows{};
};

// Of a folder the newest file that has the claim or the row.
Expected<std::string> newest_with(const Cited& cited) {
    std::error_code failed;
    if (!std::filesystem::is_directory(cited.file, failed)) return cited.file;
    auto files = files_at({cited.file});
    if (!files) return problem(files.error());
    std::ranges::sort(*files, std::greater{},  // a name begins with the time
                      [](const std::string& file) { return std::filesystem::path(file).filename(); });
    InFolder folder(cited.row);
    for (const auto& file : *files)
        if (const auto read = read_recording(file)) folder.read(file, *read);
    if (folder.newest().empty()) return problem(cited.file + ": " + folder.why_none());
    if (const auto beside = folder.beside(); !beside.empty())
        complain(fmt::format("tocuda: {}: {}; cited is the newest", cited.file, beside));
    return folder.newest();
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
