// tocuda, Apache-2.0.
// `tocuda cite`: a row of a result file as a line to quote, or every reason why it is not to be quoted.
#include <fmt/core.h>

#include <algorithm>

#include "command/arguments.hpp"
#include "command/citation.hpp"
#include "command/complaint.hpp"
#include "command/row_choice.hpp"
#include "summary/citable.hpp"
#include "lines/documents.hpp"
#include "record/sections.hpp"
#include "record/verification.hpp"

namespace tocuda {
namespace {

struct Cited {
    std::string file{};
    Words row{};
    bool bibtex = false;
    bool json = false;
};

// The sections of a file, with what is to be said of each.
struct Contents {
    std::vector<SectionRows> sections{};
    std::vector<std::vector<std::string>> problems{};
    std::vector<std::string> digests{};
};

std::vector<std::string> problems_of(const VerifiedSection& section, const Verification& verification) {
    std::vector<std::string> problems;
    for (const auto& [line, what] : verification.problems) {
        const bool elsewhere = line > 0 && (line < section.line || (section.end_line > 0 && line > section.end_line));
        if (!elsewhere) problems.push_back(line > 0 ? "line " + std::to_string(line) + ": " + what : what);
    }
    return problems;
}

Contents contents_of(const Recording& recording, const Verification& verification) {
    Contents contents;
    for (const auto& section : recording.sections) {
        contents.sections.push_back({section.run, {}});
        for (const auto& one : section.measurements) contents.sections.back().rows.push_back(one.row);
    }
    for (const auto& section : verification.sections) {
        contents.problems.push_back(problems_of(section, verification));
        contents.digests.push_back(section.sha256);
    }
    return contents;
}

std::vector<std::string> reasons_against(const FileRow& row, const Contents& contents) {
    std::vector<std::string> all;
    for (const auto position : row.sections)
        for (auto& reason : why_not_citable(contents.sections[position].run, row.summary, contents.problems.at(position)))
            if (std::find(all.begin(), all.end(), reason) == all.end()) all.push_back(std::move(reason));
    return all;
}

int refuse(const Cited& cited, const RowSummary& row, const std::vector<std::string>& reasons) {
    complain(fmt::format("tocuda cite: {} of {} is not citable:", name_of(row), cited.file));
    for (const auto& reason : reasons) complain("  " + reason);
    return finding;
}

int cite_row(const Cited& cited, const Contents& contents) {
    const auto rows = file_rows(contents.sections);
    if (rows.empty()) {
        complain(fmt::format("tocuda: {}: it holds no measurement to cite", cited.file));
        return usage;
    }
    const auto chosen = chosen_row(cited.row, rows, contents.sections);
    if (const auto* wrong = std::get_if<std::string>(&chosen)) {
        complain(fmt::format("tocuda cite: {}: {}", cited.file, *wrong));
        return usage;
    }
    const auto& row = rows[std::get<std::size_t>(chosen)];
    if (const auto reasons = reasons_against(row, contents); !reasons.empty()) return refuse(cited, row.summary, reasons);
    const auto citation = cite(row, contents.sections, contents.digests);
    if (cited.json) fmt::print("{}\n", cite_document(citation.text, citation.bibtex, row.summary));
    else fmt::print("{}\n", cited.bibtex ? citation.bibtex : citation.text);
    return as_expected;
}

}  // namespace

int cite_verb(const Words& words) {
    Arguments arguments("cite", "A measured number as a line to quote, where it is fit to be quoted.",
                        {"FILE copy/host_to_device/pinned bytes=64MiB", "FILE 3f2a --bibtex"});
    Cited cited;
    arguments.option("FILE", cited.file, "a result file of bench", "", Arguments::Presence::required);
    arguments.option("ROW", cited.row, "its id, the beginning of that, or name key=value...", Arguments::Presence::required);
    arguments.flag("--bibtex", cited.bibtex, "an entry for a bibliography");
    arguments.flag("--json", cited.json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;
    if (cited.bibtex && cited.json) return arguments.refuse("--bibtex and --json exclude each other: the document holds both forms");
    const auto verified = verify_file(cited.file);
    const auto read = read_recording(cited.file);
    const auto* wrong = std::get_if<Unreadable>(&verified);
    if (!wrong) wrong = std::get_if<Unreadable>(&read);
    if (wrong) {
        complain(fmt::format("tocuda: {}", wrong->what));
        return usage;
    }
    return cite_row(cited, contents_of(std::get<Recording>(read), std::get<Verification>(verified)));
}

}  // namespace tocuda
