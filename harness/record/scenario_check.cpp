// tocuda, Apache-2.0.
#include "record/scenario_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "record/device_check.hpp"

namespace tocuda {
namespace {

constexpr std::array<std::string_view, 4> ends{"exit", "signal", "timeout", "not_started"};
constexpr double longest_seconds = 7 * 86400.0;

bool is_code(const Outcome& outcome) {
    if (outcome.ended == "exit") return outcome.code >= 0 && outcome.code <= 255;
    return outcome.ended != "signal" || (outcome.code >= 1 && outcome.code <= 64);
}

// A judge may decide from the outcome alone, without observations, but not if no child was started.
void look_at_claims(const Row& row, std::vector<std::string>& wrong) {
    const bool was_run = row.evidence.outcome.ended != "not_started";
    std::set<std::string> ids;
    for (const auto& claim : row.claims) {
        if (!ids.insert(claim.id).second) wrong.emplace_back("claim " + claim.id + " is judged twice");
        if (!was_run && is_decided(claim.verdict))
            wrong.emplace_back("claim " + claim.id + " is decided but nothing was run");
    }
}

}  // namespace

std::vector<std::string> wrong_with_scenario(const Row& row) {
    std::vector<std::string> wrong;
    const auto& [device, stand_in, outcome, observations, stderr_tail] = row.evidence;
    if (std::find(ends.begin(), ends.end(), outcome.ended) == ends.end())
        wrong.emplace_back("unknown outcome '" + outcome.ended + "'");
    if (!is_code(outcome))
        wrong.emplace_back("impossible outcome: " + outcome.ended + " " + std::to_string(outcome.code));
    if (outcome.seconds < 0) wrong.emplace_back("the duration is negative");
    if (outcome.seconds > longest_seconds) wrong.emplace_back("the duration is longer than a week");
    if (outcome.ended == "not_started" && !observations.empty())
        wrong.emplace_back("the scenario was not started but has observations");
    if (auto what = wrong_with_device(device, stand_in); !what.empty()) wrong.push_back(std::move(what));
    look_at_claims(row, wrong);
    return wrong;
}

}  // namespace tocuda
