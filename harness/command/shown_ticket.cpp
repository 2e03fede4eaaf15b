// tocuda, Apache-2.0.
#include "command/shown_ticket.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "request/row_choice.hpp"
#include "request/selection.hpp"
#include "tables/last_seen.hpp"
#include "tables/ticket.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

tl::unexpected<Problem> not_recorded(const std::string& what, const std::string& verb,
                                     const std::filesystem::path& folder) {
    return problem(fmt::format("no result of {0} in {1}; `tocuda {2} {0}` records one, --output names another folder",
                               what, folder.string(), verb));
}

bool may_be_an_id(const std::string& word) { return word.find_first_not_of("0123456789abcdef") == std::string::npos; }

Expected<CitedFile> cited(const Recording& recording) {
    const auto verified = verify_file(recording.file);
    if (!verified) return problem(verified.error());
    return cited_file(recording, *verified);
}

bool has_claim(const Section& section, const std::string& id) {
    const auto is_of_it = [&](const ClaimVerdict& claim) { return claim.id == id; };
    return std::any_of(section.rows.begin(), section.rows.end(), [&](const RecordedRow& row) {
        return std::any_of(row.row.claims.begin(), row.row.claims.end(), is_of_it);
    });
}

// Says what the run before saw: a change is what most tickets are about.
std::string before(const Recording& recording, const CitedClaim& claim, const std::filesystem::path& folder) {
    const auto& id = claim.summary.id;
    const auto older = newest_recording(folder, [&](const Section& section) {
        return has_claim(section, id) &&
               std::none_of(recording.sections.begin(), recording.sections.end(),
                            [&](const Section& one) { return one.run.run == section.run.run; });
    });
    if (!older) return "";
    const auto was = *claim_in(*older, id, "");
    const auto& run = older->sections[was.sections.front()].run;
    return fmt::format("\nBefore, in run {} of {}, it was {}.\n", run.run, run.time.substr(0, 10),
                       plain_word(was.summary.verdict));
}

Expected<std::string> claim_ticket(const Catalogue& catalogue, const std::string& id,
                                   const std::filesystem::path& folder) {
    const auto recording = newest_recording(folder, [&](const Section& section) { return has_claim(section, id); });
    if (!recording) return not_recorded(id, "run", folder);
    const auto file = cited(*recording);
    if (!file) return tl::unexpected(file.error());
    const auto claim = *claim_in(*recording, id, statements_of(catalogue)[id]);
    return ticket_of(claim, *file) + before(*recording, claim, folder);
}

Expected<std::string> row_tickets(const Words& words, const std::filesystem::path& folder) {
    const auto& name = words.front();
    const auto is_of_it = [&](const RecordedMeasurement& one) {
        return one.row.benchmark == name || one.row.id.starts_with(name);
    };
    const auto recording = newest_recording(folder, [&](const Section& section) {
        return std::any_of(section.measurements.begin(), section.measurements.end(), is_of_it);
    });
    if (!recording && may_be_an_id(name))
        return problem(
            fmt::format("no row whose id begins with {} in {}; --output names another folder", name, folder.string()));
    if (!recording) return not_recorded(name, "bench", folder);
    const auto file = cited(*recording);
    if (!file) return tl::unexpected(file.error());
    const auto rows = file_rows(file->sections);
    std::string text;
    if (words.size() == 1) {
        for (const auto& row : rows)
            if (row.summary.benchmark == name || row.summary.id.starts_with(name))
                text += (text.empty() ? "" : "\n") + ticket_of(row, *file);
        return text;
    }
    const auto chosen = chosen_row(words, rows, file->sections);
    if (!chosen) return tl::unexpected(chosen.error());
    return ticket_of(rows[*chosen], *file);
}

}  // namespace

Expected<std::string> tickets(const Catalogue& catalogue, const Words& words, const std::filesystem::path& folder) {
    const auto found = find_all(catalogue, {words.front()});
    if (found && found->searched)
        return problem("--ticket needs the name of a claim, scenario or benchmark; `tocuda show " + words.front() +
                       "` lists what speaks of it");
    if (!found && !may_be_an_id(words.front())) return problem(found.error().what);
    if (!found || found->scenarios.empty()) return row_tickets(words, folder);
    std::vector<std::string> ids = found->scenarios.front().claims;
    if (ids.empty())
        for (const auto& claim : found->scenarios.front().scenario->claims) ids.push_back(claim.id);
    std::string text;
    for (const auto& id : ids) {
        const auto ticket = claim_ticket(catalogue, id, folder);
        if (!ticket) return ticket;
        text += (text.empty() ? "" : "\n") + *ticket;
    }
    return text;
}

}  // namespace tocuda
