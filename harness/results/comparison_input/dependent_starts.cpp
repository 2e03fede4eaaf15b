// tocuda, Apache-2.0.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "comparison_input/paired_rows.hpp"

namespace tocuda {
namespace {

void forget_likely(RowChange& change) {
    change.start_noise.reset();
    change.chance_above.reset();
    change.not_excluded.reset();
}

// Whether each side took one time to the byte, as simulated GPUs without noise do.
bool is_without_noise(const ComparedRow& row) {
    std::size_t processes = 0;
    std::array<std::set<double>, 2> times;
    for (const auto& [side, starts] : {std::pair(0U, &row.before), std::pair(1U, &row.after)})
        for (const auto& start : *starts) {
            times.at(side).insert(start.process_medians.begin(), start.process_medians.end());
            processes += start.process_medians.size();
        }
    return row.device == Device::simulated && times[0].size() == 1 && times[1].size() == 1 &&
           (processes > 2 || times[0] == times[1]);
}

}  // namespace

void say_what_lacks_noise(ChangeReport& report) {
    for (auto& one : report.rows) {
        if (one.change.verdict != ChangeVerdict::undecided || !is_without_noise(one.row)) continue;
        one.change.because = "no independent starts: simulated without noise";
        one.change.starts_missing = 0;
        forget_likely(one.change);
        ++report.without_noise;
    }
}

void withhold_from_same_starts(AnsweredRow& one, const std::vector<std::string>& same_starts) {
    if (one.change.verdict == ChangeVerdict::same || one.change.verdict == ChangeVerdict::invalid) return;
    const auto has_same = [&](const std::vector<Start>& side) {
        return std::any_of(side.begin(), side.end(), [&](const Start& start) {
            return std::binary_search(same_starts.begin(), same_starts.end(), start.name);
        });
    };
    if (!has_same(one.row.before) && !has_same(one.row.after)) return;
    one.change.verdict = ChangeVerdict::undecided;
    one.change.because = "the same start is on both sides";
    one.change.starts_missing = 0;
    one.change.detectable.reset();
    forget_likely(one.change);
}

void withhold_without_host(AnsweredRow& one, const ChangeReport& report) {
    using enum ChangeVerdict;
    const auto verdict = one.change.verdict;
    if (verdict != slower && verdict != faster && verdict != same) return;
    const auto is_it = [&](const ComparedRun& compared) {
        const auto& imported = compared.run.imported;
        return imported && !compared.run.machine.host && one.row.benchmark.starts_with(imported->tool + "/");
    };
    if (std::ranges::none_of(report.before.runs, is_it) && std::ranges::none_of(report.after.runs, is_it)) return;
    one.change.verdict = undecided;
    one.change.because = "imported, and no host is named";
    one.change.starts_missing = 0;
}

}  // namespace tocuda
