// tocuda, Apache-2.0.
#include "printing/ticket.hpp"

#include <fmt/core.h>

#include <map>
#include <vector>

#include "model/parameter_values.hpp"
#include "model/plan.hpp"
#include "request/row_choice.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

constexpr auto not_real = "SIMULATED, which says nothing about the speed of a real GPU. ";

// The protocol and the GPUs of the run belong to the command that repeats it.
std::string repeat(std::string command, const RunLine& run) {
    if (run.protocol && run.protocol->name != "default") command += " --" + run.protocol->name;
    if (run.plan && !run.plan->where.simulate.empty()) command += " --simulate " + run.plan->where.simulate;
    return fmt::format(" Repeat with `tocuda {}`.", command);
}

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
                       repeat("run " + summary.id, file.sections.at(claim.sections.front()).run), variants_text(claim));
}

std::string ticket_of(const FileRow& row, const CitedFile& file) {
    std::string command = "bench " + row.summary.benchmark;
    for (const auto& [name, value] : row.summary.parameters) command += " " + name + "=" + plain(value);
    const auto name = name_of(row.summary);
    const auto text = cite(row, file.sections, file.digests).text;
    return fmt::format("{}**{}**{}.{}\n", row.summary.device == Device::simulated ? not_real : "", name,
                       text.substr(name.size()), repeat(command, file.sections.at(row.sections.front()).run));
}

}  // namespace tocuda
