// tocuda, Apache-2.0.
// Counts how often a comparison of made-up noise raises a false alarm: the table of README.md. For developers;
// README.md tells how to start it.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "comparison_rules/paired_comparison.hpp"
#include "comparison_rules/row_comparison.hpp"
#include "comparison_rules/tests/calibration.hpp"
#include "comparison_rules/tests/made_up_fleet.hpp"

namespace {

using tocuda::Calibrated;

std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size() && value > 0 ? std::optional(value) : std::nullopt;
}

double percent(std::int64_t count, std::int64_t of) {
    return of > 0 ? 100 * static_cast<double>(count) / static_cast<double>(of) : 0;
}

void print_line(std::string_view noise, const Calibrated& counted) {
    const auto& [one, two, five] = counted.found;
    fmt::print("{:<21}{:>5.2f}{:>6.2f}{:>8.3f}{:>6.0f}{:>6.0f}{:>6.0f}{:>6.0f}{:>6.0f}{:>7.1f}\n", noise,
               percent(counted.alarmed_comparisons, counted.comparisons), 100 * counted.alarms_at_most(),
               10 * percent(counted.alarmed_rows, counted.rows), percent(counted.same_rows, counted.rows),
               percent(one.found, one.rows), percent(two.found, two.rows), percent(five.found, five.rows),
               percent(two.promised, two.rows), percent(two.promised_found, two.promised));
    if (counted.has_many_alarms()) fmt::print("  missed: false alarms\n");
    if (counted.breaks_its_promise()) fmt::print("  missed: rows that promise to show a change do not\n");
    if (!counted.has_many_alarms() && !counted.breaks_its_promise() && !counted.holds())
        fmt::print("  too few comparisons to show that the goals are met\n");
}

// Prints a line for each kind of noise. Returns whether none of them misses a goal.
bool print_block(const tocuda::CalibrationPlan& plan, const tocuda::Rule& rule) {
    bool is_good = true;
    for (std::size_t kind = 0; kind < tocuda::noise_words.size(); ++kind) {
        const auto counted = calibrate(static_cast<tocuda::Noise>(kind), plan, rule);
        print_line(tocuda::noise_words[kind].name, counted);
        std::fflush(stdout);
        is_good = is_good && !counted.has_many_alarms() && !counted.breaks_its_promise();
    }
    return is_good;
}

struct LikelyNoise {
    std::string_view name;
    tocuda::made_up::FleetNoise noise;
};
constexpr std::array<LikelyNoise, 7> likely_noise{
    {{"normal, 0.1 %", {.boot = 0.001}},
     {"normal, 1 %", {.boot = 0.01, .process = 0.003}},
     {"drifting", {.boot = 0.003, .tails = tocuda::made_up::Tails::drifting}},
     {"alike within a start", {.boot = 0.003, .alike = 0.9}},
     {"heavy tails", {.boot = 0.003, .tails = tocuda::made_up::Tails::heavy}},
     {"two modes, starts", {.boot = 0.003, .tails = tocuda::made_up::Tails::two_modes}},
     {"twice the noise", {.boot = 0.003, .afterwards = 2}}}};

double no_change(int, int, int) { return 0; }

// Prints how many comparisons of equal sides call anything likely.
void print_likely(int comparisons, std::uint64_t seed) {
    for (const auto& [name, noise] : likely_noise) {
        Calibrated counted{.comparisons = comparisons};
        for (int turn = 0; turn < comparisons; ++turn) {
            std::vector<tocuda::ComparedRow> rows;
            for (auto& row : tocuda::made_up::fleet({.rows = 50, .history = 11}, noise,
                                                    seed << 32U | static_cast<std::uint64_t>(turn), no_change))
                rows.push_back(std::move(row.front().front()));
            const auto answers = tocuda::compare_rows(rows);
            const auto likely = std::ranges::count_if(
                answers, [](const tocuda::RowChange& one) { return tocuda::is_likely(one.verdict); });
            counted.rows += std::ssize(rows);
            counted.alarmed_rows += likely;
            counted.alarmed_comparisons += likely > 0 ? 1 : 0;
        }
        fmt::print("{:<21}{:>5.2f}{:>6.2f}{:>8.3f}\n", name, percent(counted.alarmed_comparisons, counted.comparisons),
                   100 * counted.alarms_at_most(), 10 * percent(counted.alarmed_rows, counted.rows));
        std::fflush(stdout);
    }
}

struct NamingNoise {
    std::string_view name;
    tocuda::made_up::FleetNoise noise;
    int hosts;
};
constexpr std::array<NamingNoise, 9> naming_noise{
    {{"normal, 0.1 %", {.boot = 0.001, .gpu = 0, .process = 0}, 8},
     {"alike within a start", {.boot = 0.003, .gpu = 0, .process = 0, .alike = 0.9}, 8},
     {"heavy tails", {.boot = 0.003, .gpu = 0, .process = 0, .tails = tocuda::made_up::Tails::heavy}, 8},
     {"heavy tails, alike",
      {.boot = 0.003, .gpu = 0, .process = 0, .alike = 1, .tails = tocuda::made_up::Tails::heavy},
      8},
     {"two modes, starts", {.boot = 0.001, .gpu = 0, .process = 0, .tails = tocuda::made_up::Tails::two_modes}, 8},
     {"1 in 8 3 % slower", {.boot = 0.001, .gpu = 0, .process = 0, .bad_boots = 1.0 / 8}, 8},
     {"1 in 20 3 % slower", {.boot = 0.001, .gpu = 0, .process = 0, .bad_boots = 1.0 / 20}, 8},
     {"1 in 20 10 % slower", {.boot = 0.001, .gpu = 0, .process = 0, .bad_boots = 1.0 / 20, .bad_by = 0.1}, 8},
     {"1 in 20 3 % slower", {.boot = 0.001, .gpu = 0, .process = 0, .bad_boots = 1.0 / 20}, 32}}};

// Prints how many comparisons of equal hosts name any of them, or are sure of a row.
void print_named(int comparisons, std::uint64_t seed) {
    for (const auto& [name, noise, hosts] : naming_noise) {
        Calibrated named{.comparisons = comparisons}, sure{.comparisons = comparisons};
        for (int turn = 0; turn < comparisons; ++turn) {
            std::vector<tocuda::ComparedRow> rows;
            for (auto& row : tocuda::made_up::fleet({.rows = 50, .hosts = hosts, .processes = 1}, noise,
                                                    seed << 32U | static_cast<std::uint64_t>(turn), no_change)) {
                auto& all = rows.emplace_back();
                for (auto& host : row) {
                    all.hosts.push_back(std::move(host.front()));
                    all.hosts.back().host = std::to_string(all.hosts.size());
                }
            }
            const auto answers = tocuda::compare_rows(rows);
            const auto any = [&](const auto& is) { return std::ranges::any_of(answers, is) ? 1 : 0; };
            named.alarmed_comparisons += any([](const tocuda::RowChange& one) { return !one.unlike.empty(); });
            sure.alarmed_comparisons += any([](const tocuda::RowChange& one) { return is_change(one.verdict); });
        }
        fmt::print("{:<21}{:>5}{:>8.2f}{:>6.2f}{:>8.2f}{:>6.2f}\n", name, hosts,
                   percent(named.alarmed_comparisons, comparisons), 100 * named.alarms_at_most(),
                   percent(sure.alarmed_comparisons, comparisons), 100 * sure.alarms_at_most());
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** words) {
    const auto seed = count > 1 ? whole_number(words[1]) : 1;
    const auto comparisons = count > 2 ? whole_number(words[2]) : 4000;
    if (!seed || !comparisons || count > 3) {
        fmt::print(stderr, "usage: calibrate [SEED [COMPARISONS]]: both above 0; 4000 comparisons by default\n");
        return 2;
    }
    tocuda::CalibrationPlan plan{.comparisons = *comparisons,
                                 .seed = static_cast<std::uint64_t>(*seed),
                                 .threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
    fmt::print("{} comparisons of each noise, {} rows each; seed {}\n", plan.comparisons, plan.shape.rows, plan.seed);
    fmt::print("All of this noise is made up; none of it was measured.\n\n");
    for (const auto& [name, meaning] : tocuda::noise_words) fmt::print("{:<21}{}\n", name, meaning);
    fmt::print("\n");
    fmt::print("                      nothing changed             made slower by  promised\n");
    fmt::print("noise                any %    <=   1/1000  same   1 %   2 %   5 %   2 %  kept %\n");
    fmt::print("old against new: 3 starts a side, 20 degrees of freedom\n");
    const bool starts_are_good = print_block(plan, [](const auto rows) { return compare_rows(rows); });
    fmt::print("\npaired (bench --against): 6 rounds, then 14 fresh ones\n");
    plan.paired_rounds = tocuda::PairedRules{}.first_rounds + tocuda::PairedRules{}.fresh_rounds;
    const bool pairs_are_good = print_block(plan, tocuda::compare_as_pairs);
    fmt::print("\nlikely: 1 start a side, a history of 11; at most 2 % where the noise is as recorded\n");
    print_likely(*comparisons, plan.seed);
    fmt::print("\nhosts: one boot a side; any host named, any row sure\n");
    print_named(*comparisons, plan.seed);
    return starts_are_good && pairs_are_good ? 0 : 1;
}
