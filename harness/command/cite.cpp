// tocuda, Apache-2.0.
// `tocuda cite`: prints a row of a result file as a line to quote, or every reason why it is not citable.
#include <fmt/core.h>

#include "command/arguments.hpp"
#include "command/citation.hpp"
#include "command/cited_file.hpp"
#include "command/complaint.hpp"
#include "command/row_choice.hpp"
#include "lines/documents.hpp"

namespace tocuda {
namespace {

struct Cited {
    std::string file{};
    Words row{};
    bool bibtex = false;
    bool json = false;
};

int refuse(const Cited& cited, const RowSummary& row, const std::vector<std::string>& reasons) {
    complain(fmt::format("tocuda cite: {}: {} is not citable:", cited.file, name_of(row)));
    for (const auto& reason : reasons) complain("  " + reason);
    if (cited.json) fmt::print("{}\n", refused_cite_document(row, reasons));
    return finding;
}

int cite_row(const Cited& cited, const CitedFile& file) {
    const auto rows = file_rows(file.sections);
    if (rows.empty()) return complain(usage, fmt::format("tocuda cite: {}: holds no measurement", cited.file));
    const auto chosen = chosen_row(cited.row, rows, file.sections);
    if (const auto* wrong = std::get_if<std::string>(&chosen))
        return complain(usage, fmt::format("tocuda cite: {}: {}", cited.file, *wrong));
    const auto& row = rows[std::get<std::size_t>(chosen)];
    if (const auto reasons = reasons_against(row, file); !reasons.empty()) return refuse(cited, row.summary, reasons);
    const auto citation = cite(row, file.sections, file.digests);
    if (cited.json) fmt::print("{}\n", cite_document(citation.text, citation.bibtex, row.summary));
    else fmt::print("{}\n", cited.bibtex ? citation.bibtex : citation.text);
    return as_expected;
}

}  // namespace

int cite_verb(const Words& words) {
    Arguments arguments("cite", "Print a measured number as a line to quote.",
                        {"FILE copy/host_to_device/pinned bytes=64MiB", "FILE 3f2a --bibtex"});
    Cited cited;
    arguments.option("FILE", cited.file, "a result file of bench", "", Arguments::Presence::required);
    arguments.option("ROW", cited.row, "an id, a prefix of one, or NAME KEY=VALUE...", Arguments::Presence::required);
    arguments.flag("--bibtex", cited.bibtex, "print a BibTeX entry");
    arguments.flag("--json", cited.json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;
    if (cited.bibtex && cited.json)
        return arguments.refuse("--bibtex and --json exclude each other: the document holds both forms");
    const auto verified = verify_file(cited.file);
    const auto read = read_recording(cited.file);
    const auto* wrong = std::get_if<Unreadable>(&verified);
    if (!wrong) wrong = std::get_if<Unreadable>(&read);
    if (wrong) return complain(usage, "tocuda: " + wrong->what);
    return cite_row(cited, cited_file(std::get<Recording>(read), std::get<Verification>(verified)));
}

}  // namespace tocuda
