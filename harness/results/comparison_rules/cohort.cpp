// tocuda, Apache-2.0.
// Uses medians and median absolute deviations of the logarithms of the peers.
#include "comparison_rules/cohort.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "comparison_rules/log_scale.hpp"
#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

// The values of one row in ascending order, so that thousands of peers can each be left out in turn without sorting
// again.
class Peers {
public:
    explicit Peers(std::vector<double> all) : sorted(std::move(all)) { std::sort(sorted.begin(), sorted.end()); }

    struct Seen {
        double middle = 0;
        double spread = 0;
    };
    Seen without(double value) const {
        const auto left_out =
            static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
        const auto other = [&](std::size_t place) { return sorted[place < left_out ? place : place + 1]; };
        const auto others = sorted.size() - 1;
        const double middle = (other((others - 1) / 2) + other(others / 2)) / 2;
        // Distances from the middle ascend on either side, so the next smallest is the nearer of the next two.
        std::size_t right = others / 2;
        std::size_t left = right;  // one past the next on the left
        std::array<double, 2> median_distances{};
        for (std::size_t taken = 0; taken <= others / 2; ++taken) {
            const bool from_left =
                left > 0 && (right == others || std::abs(other(left - 1) - middle) < std::abs(other(right) - middle));
            const double distance = std::abs(other(from_left ? --left : right++) - middle);
            if (taken == (others - 1) / 2) median_distances[0] = distance;
            if (taken == others / 2) median_distances[1] = distance;
        }
        constexpr double to_normal = 1.4826;
        return {middle, to_normal * (median_distances[0] + median_distances[1]) / 2};
    }
    int count() const { return static_cast<int>(sorted.size()); }

private:
    std::vector<double> sorted;
};

// The spread of a few peers is often estimated far too small: a median absolute deviation carries as much information
// as a standard deviation of 0.37 times as many values.
double critical(double level, int questions, int peers) {
    return student_quantile(1 - level / 2 / questions, std::max(1.0, 0.37 * (peers - 1)));
}

std::string text_of(double difference, double z, int peers) {
    const auto* side = difference < 0 ? "below" : "above";
    const double percent = 100 * std::abs(difference);
    std::array<char, 160> text{};
    if (std::isfinite(z))
        std::snprintf(text.data(), text.size(), "%.1f %% %s its %d peers, %.1f times their spread", percent, side,
                      peers, std::abs(z));
    else std::snprintf(text.data(), text.size(), "%.1f %% %s its %d peers, which are all equal", percent, side, peers);
    return text.data();
}

CohortAnswer answer_for(double value, const Peers& peers, double limit, const CohortRules& rules) {
    CohortAnswer answer;
    answer.peers = std::max(peers.count() - 1, 0);
    if (!is_time(value)) {
        answer.standing = Standing::no_value;
        answer.because = "no value";
        return answer;
    }
    if (answer.peers < rules.peers_min) {
        answer.standing = Standing::too_few_peers;
        answer.because = fmt::format("{} of {} peers", answer.peers, rules.peers_min);
        if (answer.peers == 0) return answer;
    }
    const double own = std::log(value);
    const auto seen = peers.without(own);
    const double away = own - seen.middle;
    answer.difference = std::expm1(away);
    const double z = away / seen.spread;
    if (std::isfinite(z)) answer.z = z;
    if (answer.standing == Standing::too_few_peers) return answer;
    const bool is_far = std::abs(away) > limit * seen.spread;
    if (!is_far || std::abs(*answer.difference) <= rules.margin) return answer;
    answer.standing = away < 0 ? Standing::below : Standing::above;
    answer.because = text_of(*answer.difference, z, answer.peers);
    return answer;
}

}  // namespace

int questions_of(std::size_t values, const CohortRules& rules) {
    const auto count = static_cast<int>(values);
    return count > rules.peers_min ? count : 0;
}

std::vector<CohortAnswer> judge_cohort(std::span<const double> values, const CohortRules& rules) {
    std::vector<double> logarithms;
    for (const double value : values)
        if (is_time(value)) logarithms.push_back(std::log(value));
    const int questions = rules.questions_elsewhere + questions_of(logarithms.size(), rules);
    const double limit = critical(rules.level, std::max(questions, 1), static_cast<int>(logarithms.size()) - 1);
    const Peers peers(std::move(logarithms));
    std::vector<CohortAnswer> answers;
    for (const double value : values) answers.push_back(answer_for(value, peers, limit, rules));
    return answers;
}

}  // namespace tocuda
