// tocuda, Apache-2.0.
// `tocuda cite`: a row of a result file as a line to quote, or every reason why it is not to be quoted.
#include <fmt/core.h>

#include <algorithm>

#include "command/arguments.hpp"
#include "command/citation.hpp"
#include "command/complaint.hpp"
#include "command/row_choice.hpp"
#include "comparison/citable.hpp"
#include "lines/documents.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

struct Cited {
    std::string file{};
    Words row{};
    bool bibtex = false;
    bool json = false;
};

// The measured sections of a file, with what is to be said of each.
struct Contents {
    std::vector<SectionRows> sections{};
    std::vector<SectionState> states{};
    std::vector<std::string> digests{};
};

Contents contents_of(const Recording& recording) {
    Contents contents;
    const auto& warnings = recording.warnings;
    const bool unaltered = std::none_of(warnings.begin(), warnings.end(), [](const std::string& warning) { return warning.find("checksum") != std::string::npos; });
    for (const auto& section : recording.sections) {
        SectionRows rows{section.run, {}};
        for (const auto& one : section.measurements) rows.rows.push_back(one.row);
        contents.sections.push_back(std::move(rows));
        SectionState state{section.end.has_value(), unaltered, {}};
        for (const auto& warning : warnings)
            if (warning.find("left out") != std::string::npos || warning.find("torn") != std::string::npos) state.problems.push_back(warning);
        contents.states.push_back(std::move(state));
        contents.digests.push_back(section.end ? section.end->sha256 : "");
    }
    return contents;
}

std::vector<std::string> reasons_against(const FileRow& row, const Contents& contents) {
    std::vector<std::string> all;
    for (const auto position : row.sections)
        for (auto& reason : why_not_citable(contents.sections[position].run, row.summary, contents.states[position]))
            if (std::find(all.begin(), all.end(), reason) == all.end()) all.push_back(std::move(reason));
    return all;
}

int refuse(const Cited& cited, const RowSummary& row, const std::vector<std::string>& reasons) {
    complain(fmt::format("tocuda cite: {} of {} is not citable:", name_of(row), cited.file));
    for (const auto& reason : reasons) complain("  " + reason);
    return finding;
}

int cite_row(const Cited& cited, const Recording& recording) {
    const auto contents = contents_of(recording);
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
    const auto read = read_recording(cited.file);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) {
        complain(fmt::format("tocuda: {}", wrong->what));
        return usage;
    }
    return cite_row(cited, std::get<Recording>(read));
}

}  // namespace tocuda
