// tocuda, Apache-2.0.
#include "tables/ticket.hpp"

#include <fmt/core.h>

#include <map>

#include "model/parameter_text.hpp"
#include "request/row_choice.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

constexpr auto not_real = "SIMULATED, which says nothing about the speed of a real GPU. ";

std::string repeat(const std::string& command) { return fmt::format(" Repeat with `tocuda {}`.", command); }

// Variants that behaved alike share a line.
std::string variants_text(const CitedClaim& claim) {
    std::map<std::string, std::vector<Row>> seen;
    for (const auto& row : claim.rows) {
        const auto& [id, verdict, expected, because] = row.claims.front();
        seen[fmt::format("{}: {}", plain_word(verdict), because)].push_back(row);
    }
    if (seen.size() < 2) return "";
    std::string text = "\n";
    for (const auto& [what, rows] : seen) text += fmt::format("\n- {}: {}", variants_of(rows), what);
    return text;
}

}  // namespace

std::string ticket_of(const CitedClaim& claim, const CitedFile& file) {
    const auto& summary = claim.summary;
    const auto unexpected =
        summary.unexpected > 0 ? fmt::format(" Unexpected: {} before.", plain_word(summary.expected)) : std::string();
    const auto text = cite(claim, file.sections, file.digests).text;
    return fmt::format("**{}**{}.{}{}{}\n", summary.id, text.substr(summary.id.size()), unexpected,
                       repeat("run " + summary.id), variants_text(claim));
}

std::string ticket_of(const FileRow& row, const CitedFile& file) {
    std::string command = "bench " + row.summary.benchmark;
    for (const auto& [name, value] : row.summary.parameters) command += " " + name + "=" + plain(value);
    const auto name = name_of(row.summary);
    const auto text = cite(row, file.sections, file.digests).text;
    return fmt::format("{}**{}**{}.{}\n", row.summary.device == Device::simulated ? not_real : "", name,
                       text.substr(name.size()), repeat(command));
}

}  // namespace tocuda
