// tocuda, Apache-2.0.
#include "printing/best_choice.hpp"

#include <algorithm>
#include <utility>

#include "model/words.hpp"
#include "printing/bench_families.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr double least_difference = 0.005;  // between medians without intervals; smaller ones are no difference

// Without the source.
std::string choice_in(const RowSummary& row) {
    const auto flag = std::ranges::find(row.flags, chosen_flag, &Flag::code);
    return flag == row.flags.end() ? "" : flag->detail.substr(0, flag->detail.rfind(", "));
}

bool is_comparable(const RowSummary& best, const RowSummary& other) {
    const auto is_other = [&](const auto& parameter) {
        const auto found = best.parameters.find(parameter.first);
        return found != best.parameters.end() && found->second != parameter.second;
    };
    return other.benchmark != best.benchmark && folder_of(other.benchmark) == folder_of(best.benchmark) &&
           other.gpu == best.gpu && other.peer == best.peer && other.device == best.device &&
           other.clock == best.clock && other.bytes_touched == best.bytes_touched && other.status == Status::ok &&
           other.median_seconds && std::none_of(other.parameters.begin(), other.parameters.end(), is_other);
}

bool is_faster(const RowSummary& one, const RowSummary& other) {
    if (one.interval && other.interval) return one.interval->high < other.interval->low;
    return *one.median_seconds < *other.median_seconds * (1 - least_difference);
}

}  // namespace

std::string chosen_words(const std::vector<const RowSummary*>& rows) {
    std::vector<std::pair<std::string, std::string>> choices;  // the choice and its sizes
    for (const auto* row : rows) {
        const auto choice = choice_in(*row);
        if (choice.empty()) continue;
        if (choices.empty() || choices.back().first != choice) choices.emplace_back(choice, size_text(row->parameters));
        else choices.back().second += ", " + size_text(row->parameters);
    }
    return joined(choices, "; ", [](const auto& one) { return one.second + " by " + one.first; });
}

std::string faster_words(const std::vector<const RowSummary*>& best, const std::vector<RowSummary>& all) {
    std::string text;
    bool compared = false;
    for (const auto* row : best) {
        if (row->status != Status::ok || !row->median_seconds || !row->benchmark.ends_with("/best")) continue;
        const RowSummary* fastest = nullptr;
        for (const auto& other : all) {
            if (!is_comparable(*row, other)) continue;
            compared = true;
            if (is_faster(other, *row) && (!fastest || *other.median_seconds < *fastest->median_seconds))
                fastest = &other;
        }
        if (!fastest) continue;
        text += (text.empty() ? "faster: " : "; ") + fastest->benchmark.substr(folder_of(fastest->benchmark).size()) +
                " by " + percent_text(1 - *fastest->median_seconds / *row->median_seconds) + " at " +
                size_text(row->parameters);
    }
    return text.empty() && compared ? "nothing measured here was faster" : text;
}

}  // namespace tocuda
