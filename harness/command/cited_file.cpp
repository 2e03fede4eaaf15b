// tocuda, Apache-2.0.
#include "command/cited_file.hpp"

#include <algorithm>

#include "summary/citable.hpp"

namespace tocuda {
namespace {

std::vector<std::string> problems_of(const VerifiedSection& section, const Verification& verification) {
    std::vector<std::string> problems;
    for (const auto& [line, what] : verification.problems) {
        const bool elsewhere = line > 0 && (line < section.line || (section.end_line > 0 && line > section.end_line));
        if (!elsewhere) problems.push_back(line > 0 ? "line " + std::to_string(line) + ": " + what : what);
    }
    return problems;
}

}  // namespace

CitedFile cited_file(const Recording& recording, const Verification& verification) {
    CitedFile file;
    for (const auto& section : recording.sections) {
        file.sections.push_back({section.run, {}});
        for (const auto& one : section.measurements) file.sections.back().rows.push_back(one.row);
    }
    for (const auto& section : verification.sections) {
        file.problems.push_back(problems_of(section, verification));
        file.digests.push_back(section.sha256);
    }
    return file;
}

std::vector<std::string> reasons_against(const FileRow& row, const CitedFile& file) {
    std::vector<std::string> all;
    for (const auto position : row.sections)
        for (auto& reason : why_not_citable(file.sections[position].run, row.summary, file.problems.at(position)))
            if (std::find(all.begin(), all.end(), reason) == all.end()) all.push_back(std::move(reason));
    return all;
}

}  // namespace tocuda
