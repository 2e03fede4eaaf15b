// tocuda, Apache-2.0.
#include "tables/cited_file.hpp"

#include <algorithm>
#include <functional>

#include "summary/citable.hpp"

namespace tocuda {
namespace {

std::vector<std::string> problems_of(const VerifiedSection& section, const Verification& verification) {
    std::vector<std::string> problems;
    for (const auto& [what, line] : verification.problems) {
        const bool elsewhere = line > 0 && (line < section.line || (section.end_line > 0 && line > section.end_line));
        if (!elsewhere) problems.push_back(line > 0 ? "line " + std::to_string(line) + ": " + what : what);
    }
    return problems;
}

void add_once(std::vector<std::string>& all, std::vector<std::string> more) {
    for (auto& one : more)
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
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

std::optional<CitedClaim> claim_in(const Recording& recording, const std::string& id, const std::string& statement) {
    CitedClaim cited{.statement = statement};
    for (std::size_t position = 0; position < recording.sections.size(); ++position)
        for (auto [line, row] : recording.sections[position].rows) {
            std::erase_if(row.claims, [&](const ClaimVerdict& claim) { return claim.id != id; });
            if (row.claims.empty()) continue;
            cited.rows.push_back(std::move(row));
            if (cited.sections.empty() || cited.sections.back() != position) cited.sections.push_back(position);
        }
    if (cited.rows.empty()) return std::nullopt;
    cited.summary = tally(cited.rows).claims.front();
    return cited;
}

CitedClaim least_simulated(const CitedClaim& claim) {
    const auto is_simulated = [](const Row& row) { return row.evidence.device == Device::simulated; };
    const auto is_on_a_simulated_gpu = [&](const Row& row) {
        return is_simulated(row) && !only_the_driver_is_fake(row.evidence);
    };
    for (const auto& is_left_out : {std::function<bool(const Row&)>(is_simulated), {is_on_a_simulated_gpu}}) {
        auto rest = claim;
        std::erase_if(rest.rows, is_left_out);
        if (std::ranges::none_of(rest.rows, [](const Row& row) { return is_decided(row.claims.front().verdict); }))
            continue;
        rest.summary = tally(rest.rows).claims.front();
        return rest;
    }
    return claim;
}

std::vector<std::string> reasons_against(const CitedClaim& claim, const CitedFile& file) {
    std::vector<std::string> all;
    for (const auto position : claim.sections)
        for (const auto& row : claim.rows)
            add_once(all, why_not_citable(file.sections[position].run, row, file.problems.at(position)));
    if (!is_decided(claim.summary.verdict)) all.push_back("undecided: " + claim.summary.because);
    return all;
}

std::vector<std::string> reasons_against(const FileRow& row, const CitedFile& file) {
    std::vector<std::string> all;
    for (const auto position : row.sections)
        add_once(all, why_not_citable(file.sections[position].run, row.summary, file.problems.at(position)));
    return all;
}

}  // namespace tocuda
