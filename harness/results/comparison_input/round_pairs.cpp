// tocuda, Apache-2.0.
#include <map>
#include <set>

#include "comparison_input/paired_rows.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

using Rows = std::span<const MeasurementRow* const>;

std::string why_invalid(const std::string& side, Rows rows) {
    if (rows.empty()) return "not measured by the " + side + " build";
    const auto summary = summarise(rows);
    if (summary.status == Status::ok) return "";
    return std::string(word(summary.status)) + " in the " + side + " build: " + summary.because;
}

// Returns the median of each round's process, if it counts.
std::map<int, double> medians_of(Rows rows) {
    std::set<int> left_out;
    for (const auto& one : summarise(rows).left_out) left_out.insert(one.process);
    std::map<int, double> medians;
    for (const auto* row : rows)
        if (!left_out.contains(row->process)) medians[row->round] = median(row->samples.seconds);
    return medians;
}

}  // namespace

PairedRow pair_rounds(Rows before, Rows after) {
    PairedRow row;
    for (const auto& why : {why_invalid("old", before), why_invalid("new", after)})
        if (row.invalid.empty()) row.invalid = why;
    if (!row.invalid.empty()) return row;
    const auto old_side = medians_of(before);
    const auto new_side = medians_of(after);
    for (const auto& [round, seconds] : old_side) {
        const auto other = new_side.find(round);
        if (other == new_side.end()) continue;
        auto& rounds = round <= PairedRules{}.first_rounds ? row.first : row.fresh;
        rounds.push_back({seconds, other->second});
    }
    return row;
}

}  // namespace tocuda
