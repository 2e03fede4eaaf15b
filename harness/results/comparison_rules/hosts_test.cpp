// tocuda, Apache-2.0.
// Many hosts are many witnesses, the GPUs of one are not: on fleets of known truth.
#include "comparison_rules/hosts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "comparison_rules/row_comparison.hpp"
#include "comparison_rules/tests/made_up_fleet.hpp"
#include "comparison_rules/together.hpp"

namespace tocuda {
namespace {

using made_up::FleetNoise;
using made_up::FleetShape;
using made_up::Tails;

double no_change(int, int, int) { return 0; }
double slower_everywhere(int, int, int gpu) { return 0.03 + 0.001 * gpu / 7; }
double slower_on_one_host(int, int host, int) { return host == 5 ? 0.2 : 0; }
double slower_on_one_gpu(int, int host, int gpu) { return host == 2 && gpu == 5 ? 0.1 : 0; }
double slower_on_half(int, int host, int) { return host % 2 == 0 ? 0.03 : 0; }
double slower_by_one_percent(int, int, int) { return 0.01; }

std::vector<ComparedRow> fleet_rows(const FleetShape& shape, const FleetNoise& noise, std::uint64_t seed,
                                    made_up::ChangeOf change) {
    std::vector<ComparedRow> rows;
    for (const auto& row : made_up::fleet(shape, noise, seed, change)) {
        ComparedRow all{.benchmark = row.front().front().benchmark};
        for (std::size_t host = 0; host < row.size(); ++host) {
            all.hosts.push_back(row[host].size() > 1 ? together(row[host]) : row[host].front());
            all.hosts.back().host = "node" + std::to_string(host);
            for (std::size_t gpu = 0; row[host].size() > 1 && gpu < row[host].size(); ++gpu)
                all.gpu_changes.push_back(
                    {all.hosts.back().host, "GPU-" + std::to_string(gpu),
                     level_of(row[host][gpu].after).value() - level_of(row[host][gpu].before).value()});
        }
        rows.push_back(std::move(all));
    }
    return rows;
}

std::ptrdiff_t count_of(const std::vector<RowChange>& answers, ChangeVerdict verdict) {
    return std::ranges::count_if(answers, [=](const RowChange& one) { return one.verdict == verdict; });
}

TEST(Hosts, EightOfThemAreSureOfThreePercent) {
    const auto answers =
        compare_rows(fleet_rows({.rows = 40, .hosts = 8, .gpus = 8}, {.boot = 0.001}, 1, slower_everywhere));
    EXPECT_EQ(count_of(answers, ChangeVerdict::slower), 40);
    const auto& one = answers.front();
    EXPECT_EQ(one.hosts.size(), 8U);
    EXPECT_EQ(one.freedom, 7);
    EXPECT_NEAR(one.change.value(), 0.0305, 0.002);
    EXPECT_GT(one.interval->low, 0.015);
    EXPECT_TRUE(std::ranges::is_sorted(one.hosts, std::ranges::greater{}, &HostChange::change));
    EXPECT_EQ(one.processes_before, 8 * 8 * 3);
    EXPECT_EQ(one.starts_missing, 0);
}

TEST(Hosts, SevenOfThemAreNot) {
    auto rows = fleet_rows({.rows = 40, .hosts = 7, .gpus = 8}, {.boot = 0.001}, 2, slower_everywhere);
    const auto open = compare_rows(rows);
    EXPECT_EQ(count_of(open, ChangeVerdict::undecided), 40);
    EXPECT_EQ(open.front().because, "7 of 8 hosts");
    EXPECT_EQ(open.front().starts_missing, 1);
    EXPECT_GT(open.front().chance_above.value(), 0.015) << "seven times the evidence of one";
    for (auto& row : rows) row.assumed_noise = 0.01;
    EXPECT_EQ(count_of(compare_rows(rows), ChangeVerdict::likely_slower), 40);
}

// Which block each host is in, by its number.
std::vector<RowChange> in_blocks(std::vector<ComparedRow> rows, const std::function<int(std::size_t)>& block_of) {
    for (auto& row : rows)
        for (std::size_t host = 0; host < row.hosts.size(); ++host)
            row.hosts[host].block = "r" + std::to_string(block_of(host));
    return compare_rows(rows);
}

TEST(Hosts, OfABlockAreOneWitness) {
    const auto rows = fleet_rows({.rows = 10, .hosts = 16, .gpus = 2}, {.boot = 0.001}, 6, slower_everywhere);
    const auto eight = in_blocks(rows, [](std::size_t host) { return static_cast<int>(host % 8); });
    EXPECT_EQ(count_of(eight, ChangeVerdict::slower), 10);
    EXPECT_TRUE(eight.front().by_block);
    EXPECT_EQ(eight.front().hosts.size(), 8U);
    EXPECT_EQ(eight.front().freedom, 7);
    EXPECT_TRUE(eight.front().hosts.front().host.starts_with("r"));
    const auto two = in_blocks(rows, [](std::size_t host) { return static_cast<int>(host % 2); });
    EXPECT_EQ(count_of(two, ChangeVerdict::undecided), 10);
    EXPECT_EQ(two.front().because, "2 of 8 blocks");
    EXPECT_EQ(two.front().starts_missing, 6);
}

TEST(Hosts, OfALargeBlockCountNoMoreThanThatOfASmallOne) {
    const auto rows = fleet_rows({.rows = 1, .hosts = 16, .gpus = 1}, {.boot = 0.001}, 7,
                                 [](int, int host, int) { return host < 8 ? 0.1 : 0; });
    // Eight hosts in one block, and eight in a block of their own each.
    const auto answers = in_blocks(rows, [](std::size_t host) { return host < 8 ? 0 : static_cast<int>(host); });
    EXPECT_EQ(answers.front().hosts.size(), 9U);
    EXPECT_EQ(answers.front().hosts.front().host, "r0");
    EXPECT_NEAR(answers.front().change.value(), 0, 0.002) << "as one of nine it is far apart";
    ASSERT_EQ(answers.front().unlike.size(), 1U);
    EXPECT_EQ(answers.front().unlike[0].host, "r0");
}

TEST(Hosts, OfAnEqualFleetAreTheSame) {
    const auto answers = compare_rows(fleet_rows({.rows = 40, .hosts = 16, .gpus = 4}, {.boot = 0.001}, 3, no_change));
    EXPECT_EQ(count_of(answers, ChangeVerdict::same), 40);
}

TEST(Hosts, OneThatChangedIsNotTheFleet) {
    const auto answers =
        compare_rows(fleet_rows({.rows = 10, .hosts = 12, .gpus = 2}, {.boot = 0.001}, 4, slower_on_one_host));
    EXPECT_EQ(count_of(answers, ChangeVerdict::same), 10);
    EXPECT_EQ(answers.front().hosts.front().host, "node5");
    for (const auto& one : answers) {
        ASSERT_EQ(one.unlike.size(), 1U);
        EXPECT_EQ(one.unlike[0].host, "node5");
    }
}

TEST(Hosts, OneThatDidNotChangeDoesNotHideTheOthers) {
    const auto answers = compare_rows(fleet_rows({.rows = 10, .hosts = 9, .gpus = 1}, {.boot = 0.001}, 4,
                                                 [](int, int host, int) { return host == 5 ? 0 : 0.2; }));
    EXPECT_EQ(count_of(answers, ChangeVerdict::slower), 10);
    for (const auto& one : answers) {
        EXPECT_NEAR(one.change.value(), 0.2, 0.01);
        EXPECT_EQ(one.hosts.size(), 9U);
        EXPECT_TRUE(one.hosts.back().set_aside) << "and said to be";
        EXPECT_FALSE(one.hosts.front().set_aside);
        ASSERT_EQ(one.unlike.size(), 1U);
        EXPECT_EQ(one.unlike[0].host, "node5");
    }
}

TEST(Hosts, AreSureOnlyIfEightAreLeftThatAgree) {
    const auto answers = compare_rows(fleet_rows({.rows = 10, .hosts = 8, .gpus = 1}, {.boot = 0.001}, 4,
                                                 [](int, int host, int) { return host == 5 ? 0 : 0.2; }));
    for (const auto& one : answers) {
        EXPECT_EQ(one.verdict, ChangeVerdict::undecided);
        EXPECT_EQ(one.because, "7 of 8 hosts without those far from the others");
        EXPECT_EQ(one.starts_missing, 1);
        EXPECT_EQ(leaning(one), ChangeVerdict::slower);
        EXPECT_EQ(one.unlike.size(), 1U);
    }
}

std::set<std::string> named_in_any(const std::vector<RowChange>& answers) {
    std::set<std::string> named;
    for (const auto& one : answers)
        for (const auto& host : one.unlike) named.insert(host.host);
    return named;
}

TEST(Hosts, OfALargeFleetAreNamedByWhatTheirRowsHaveInCommon) {
    const auto of = [](int hosts, made_up::ChangeOf change) {
        return named_in_any(
            compare_rows(fleet_rows({.rows = 20, .hosts = hosts}, {.boot = 0.0005, .process = 0.0005}, 9, change)));
    };
    const std::set<std::string> one{"node7"};
    EXPECT_EQ(of(64, [](int, int host, int) { return host == 7 ? 0.105 : 0; }), one);
    EXPECT_EQ(of(64, [](int, int host, int) { return host == 7 ? -0.095 : 0; }), one);
    EXPECT_EQ(of(64, [](int row, int host, int) { return host == 7 && row < 2 ? 1.0 : 0; }), one) << "two rows of 20";
    EXPECT_EQ(of(64, [](int row, int host, int) { return host == 7 && row == 2 ? 1.0 : 0; }).size(), 0U);
    EXPECT_EQ(of(32, [](int, int host, int) { return host < 8 ? 0.105 : 0; }).size(), 8U);
}

// In at least half of the rows.
std::set<std::string> set_aside_in(const std::vector<RowChange>& answers) {
    std::map<std::string, std::size_t> rows;
    for (const auto& one : answers)
        for (const auto& host : one.hosts) rows[host.host] += host.set_aside ? 1 : 0;
    std::set<std::string> names;
    for (const auto& [name, count] : rows)
        if (2 * count >= answers.size()) names.insert(name);
    return names;
}

TEST(Hosts, ThatChangedALittleInAllRowsAreNoPartOfTheFleet) {
    const auto compared = [](int hosts, std::uint64_t seed, made_up::ChangeOf change) {
        return compare_rows(fleet_rows({.rows = 20, .hosts = hosts}, {.boot = 0.001}, seed, change));
    };
    const auto of_64 = compared(64, 1, [](int, int host, int) { return host < 3 ? 0.03 : 0; });
    EXPECT_EQ(set_aside_in(of_64), (std::set<std::string>{"node0", "node1", "node2"}));
    const auto of_16 = compared(16, 2, [](int, int host, int) { return host < 4 ? 0.03 : 0; });
    EXPECT_EQ(set_aside_in(of_16).size(), 4U);
    for (const auto& one : of_16) {
        EXPECT_NEAR(*one.change, 0, 0.002) << "12 of 16 are as before";
        EXPECT_EQ(one.freedom, 11);
    }
    int found = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        found += !set_aside_in(compared(16, 100 + seed, no_change)).empty();
    // Of 100 at 1 %, more than 5 have a probability of 1 in 2,000.
    EXPECT_LE(found, 5);
}

TEST(Hosts, OfWhichAQuarterChangedAreNotTheFleet) {
    const auto answers = compare_rows(fleet_rows({.rows = 10, .hosts = 40, .gpus = 1}, {.boot = 0.001}, 4,
                                                 [](int, int host, int) { return host < 10 ? 0.05 : 0; }));
    for (const auto& one : answers) EXPECT_FALSE(is_change(one.verdict)) << "their mean is 1.2 % slower";
}

TEST(Hosts, ThatDifferTooMuchAreNotSaidToHaveChangedInPart) {
    const auto answers = compare_rows(fleet_rows({.rows = 10, .hosts = 8, .gpus = 1}, {.boot = 0.02}, 4, no_change));
    for (const auto& one : answers) {
        if (one.verdict != ChangeVerdict::undecided) continue;
        EXPECT_EQ(one.because, "hosts differ too much to tell");
    }
    EXPECT_GT(count_of(answers, ChangeVerdict::undecided), 0);
}

TEST(Hosts, OfWhichOneOfTwoChangedAreNotLikelySlower) {
    auto rows = fleet_rows({.rows = 10, .hosts = 2, .gpus = 1}, {.boot = 0.001}, 4,
                           [](int, int host, int) { return host == 1 ? 0.3 : 0; });
    for (auto& row : rows) row.assumed_noise = 0.001;
    for (const auto& one : compare_rows(rows)) EXPECT_EQ(one.verdict, ChangeVerdict::undecided);
}

TEST(Hosts, OfWhichOneOfFourChangedAreNotLikelySlower) {
    auto rows = fleet_rows({.rows = 10, .hosts = 4, .gpus = 1}, {.boot = 0.001}, 4,
                           [](int, int host, int) { return host == 2 ? 0.3 : 0; });
    for (auto& row : rows) row.assumed_noise = 0.001;
    for (const auto& one : compare_rows(rows)) {
        EXPECT_EQ(one.verdict, ChangeVerdict::undecided);
        EXPECT_FALSE(one.chance_above) << "nor does it lean";
    }
}

// A quarter of all hosts, changed alike.
void expect_each_named(int hosts, int moved, made_up::ChangeOf change) {
    const auto answers = compare_rows(fleet_rows({.rows = 20, .hosts = hosts, .gpus = 1}, {.boot = 0.001}, 4, change));
    std::set<std::string> expected;
    for (int host = 0; host < moved; ++host) expected.insert("node" + std::to_string(host));
    for (const auto& one : answers) {
        std::set<std::string> named;
        for (const auto& host : one.unlike) named.insert(host.host);
        EXPECT_EQ(named, expected);
    }
}

TEST(Hosts, ThatChangedAlikeDoNotHideEachOther) {
    expect_each_named(8, 2, [](int, int host, int) { return host < 2 ? 0.5 : 0; });
    expect_each_named(32, 8, [](int, int host, int) { return host < 8 ? 0.5 : 0; });
}

TEST(Hosts, PoolTheHistoryOfAll) {
    const auto answers = compare_rows(
        fleet_rows({.rows = 20, .hosts = 3, .history = 5}, {.boot = 0.001, .process = 0.0005}, 5, slower_everywhere));
    EXPECT_EQ(count_of(answers, ChangeVerdict::likely_slower), 20);
    EXPECT_EQ(answers.front().start_noise->freedom, 12);
    EXPECT_EQ(answers.front().start_noise->of, "recorded of these hosts");
}

TEST(Hosts, OrderDoesNotChangeABit) {
    auto rows = fleet_rows({.rows = 5, .hosts = 9, .gpus = 3}, {}, 6, slower_everywhere);
    const auto answers = compare_rows(rows);
    for (auto& row : rows) std::reverse(row.hosts.begin(), row.hosts.end());
    EXPECT_EQ(compare_rows(rows), answers);
}

// Of a host's median one GPU of eight is no part.
TEST(Hosts, NameAGpuThatChangedAlone) {
    const auto answers =
        compare_rows(fleet_rows({.rows = 10, .hosts = 8, .gpus = 8}, {.boot = 0.001}, 8, slower_on_one_gpu));
    for (const auto& one : answers) {
        EXPECT_EQ(one.verdict, ChangeVerdict::same);
        ASSERT_EQ(one.unlike_gpus.size(), 1U);
        EXPECT_EQ(one.unlike_gpus[0].host + " " + one.unlike_gpus[0].gpu, "node2 GPU-5");
        EXPECT_NEAR(one.unlike_gpus[0].change, 0.1, 0.01);
    }
}

TEST(Hosts, NameTwoGpusThatChangedAlike) {
    const auto two = [](int, int host, int gpu) { return host == 2 && gpu < 2 ? 0.1 : 0; };
    const auto answers = compare_rows(fleet_rows({.rows = 20, .hosts = 4, .gpus = 8}, {.boot = 0.001}, 9, two));
    for (const auto& one : answers) {
        std::set<std::string> named;
        for (const auto& gpu : one.unlike_gpus) named.insert(gpu.host + " " + gpu.gpu);
        EXPECT_EQ(named, (std::set<std::string>{"node2 GPU-0", "node2 GPU-1"}));
    }
}

std::vector<ComparedRow> with_controls(std::vector<ComparedRow> rows, const std::vector<ComparedRow>& controls) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].controls = controls[i].hosts;
    return rows;
}

TEST(Hosts, LoseWhatThoseThatKeptTheDriverChangedBy) {
    const FleetNoise noise{.boot = 0.001};
    const auto rows = fleet_rows({.rows = 20, .hosts = 8}, noise, 9, slower_everywhere);
    const auto eight = fleet_rows({.rows = 20, .hosts = 8}, noise, 10, slower_by_one_percent);
    for (const auto& one : compare_rows(with_controls(rows, eight))) {
        EXPECT_EQ(one.verdict, ChangeVerdict::slower);
        EXPECT_TRUE(one.less_controls);
        EXPECT_EQ(one.controls.size(), 8U);
        EXPECT_NEAR(one.controls_change.value(), 0.01, 0.002);
        EXPECT_NEAR(one.change.value(), 0.02, 0.003);
        EXPECT_GT(one.freedom, 7);
        EXPECT_LE(one.freedom, 14);
    }
    // The driver made them faster, and time all of them slower.
    const auto by_time = fleet_rows({.rows = 20, .hosts = 8}, noise, 11, slower_everywhere);
    const auto less = fleet_rows({.rows = 20, .hosts = 8}, noise, 9, slower_by_one_percent);
    for (const auto& one : compare_rows(with_controls(less, by_time))) {
        EXPECT_EQ(one.verdict, ChangeVerdict::faster);
        EXPECT_NEAR(one.change.value(), -0.02, 0.003);
    }
    const auto seven = fleet_rows({.rows = 20, .hosts = 7}, noise, 10, slower_by_one_percent);
    for (const auto& one : compare_rows(with_controls(rows, seven))) {
        EXPECT_FALSE(one.less_controls) << "too few";
        EXPECT_EQ(one.controls.size(), 7U);
        EXPECT_NEAR(one.change.value(), 0.03, 0.003);
    }
}

TEST(Hosts, ThatKeptTheirDriverAndAreOffInAllRowsAreNotSubtracted) {
    const auto fleet = [](int hosts, std::uint64_t seed, made_up::ChangeOf change) {
        return fleet_rows({.rows = 20, .hosts = hosts}, {.boot = 0.001}, seed, change);
    };
    const auto controls = fleet(9, 8, [](int, int host, int) { return host == 3 ? 0.03 : 0; });
    for (const auto& one : compare_rows(with_controls(fleet(10, 7, no_change), controls))) {
        EXPECT_EQ(one.verdict, ChangeVerdict::same);
        EXPECT_TRUE(one.less_controls);
        EXPECT_EQ(count_witnesses(one.controls), 8);
        for (const auto& host : one.controls) EXPECT_EQ(host.set_aside, host.host == "node3") << host.host;
    }
}

TEST(Hosts, RaiseNoMoreAlarmsBesideControlsAndByTheirGpus) {
    for (const auto& [name, noise] :
         {std::pair("calm", FleetNoise{.boot = 0.001}), std::pair("rough", FleetNoise{.boot = 0.02, .process = 0.01}),
          std::pair("heavy tails", FleetNoise{.boot = 0.005, .tails = Tails::heavy}),
          std::pair("two modes", FleetNoise{.boot = 0.005, .tails = Tails::two_modes})}) {
        int alarms = 0, apart = 0;
        for (std::uint64_t turn = 0; turn < 100; ++turn) {
            const auto fleet = [&, &of = noise](int gpus, std::uint64_t seed) {
                return fleet_rows({.rows = 10, .hosts = 8, .gpus = gpus}, of, seed + turn, no_change);
            };
            const auto answers = compare_rows(with_controls(fleet(4, 8'000'000), fleet(1, 9'000'000)));
            alarms += count_of(answers, ChangeVerdict::slower) + count_of(answers, ChangeVerdict::faster) > 0;
            apart +=
                std::ranges::any_of(answers, [](const RowChange& one) { return !one.unlike_gpus.empty(); }) ? 1 : 0;
        }
        RecordProperty(name, alarms);
        RecordProperty(std::string(name) + ", GPUs", apart);
        // Of 100 at 1 %, more than 5 have a probability of 1 in 2,000.
        EXPECT_LE(alarms, 5) << name;
        EXPECT_LE(apart, 5) << name;
    }
}

TEST(Hosts, RaiseAnAlarmInOneComparisonOfAHundredAtMost) {
    struct Case {
        const char* name;
        FleetNoise noise;
        int hosts;
    };
    constexpr Case cases[]{{"calm", {.boot = 0.001}, 8},
                           {"rough", {.boot = 0.02, .process = 0.01}, 8},
                           {"many", {.boot = 0.005}, 32},
                           {"drifting", {.boot = 0.005, .tails = Tails::drifting}, 12},
                           {"alike within a start", {.boot = 0.005, .alike = 0.9}, 12},
                           {"heavy tails", {.boot = 0.005, .tails = Tails::heavy}, 12},
                           {"two modes", {.boot = 0.005, .tails = Tails::two_modes}, 12}};
    for (const auto& [name, noise, hosts] : cases) {
        int alarms = 0, apart = 0;
        for (std::uint64_t turn = 0; turn < 150; ++turn) {
            const auto answers =
                compare_rows(fleet_rows({.rows = 20, .hosts = hosts}, noise, 7'000'000 + turn, no_change));
            alarms += count_of(answers, ChangeVerdict::slower) + count_of(answers, ChangeVerdict::faster) > 0;
            apart += std::ranges::any_of(answers, [](const RowChange& one) { return !one.unlike.empty(); }) ? 1 : 0;
        }
        RecordProperty(std::string(name) + ", hosts", apart);
        EXPECT_LE(apart, 6) << name;
        // Of 150 at 1 %, more than 6 have a probability of 1 in 1,000.
        EXPECT_LE(alarms, 6) << name;
        RecordProperty(name, alarms);
    }
}

TEST(Hosts, TwoGroupsOfThemAreSeen) {
    const auto answers = compare_rows(fleet_rows({.rows = 20, .hosts = 8}, {.boot = 0.001}, 1, slower_on_half));
    EXPECT_EQ(count_of(answers, ChangeVerdict::undecided), 20) << "half of a fleet is not the fleet";
    std::ptrdiff_t seen = 0;
    for (const auto& one : answers) {
        seen += one.apart == 4;
        for (std::size_t host = 0; host < 8; ++host)
            EXPECT_EQ((one.hosts[host].host.back() - '0') % 2 == 0, host < 4) << "the slowest first";
    }
    EXPECT_GE(seen, 15);
}

TEST(Hosts, OfOneKindAreNoGroups) {
    for (const auto tails : {Tails::normal, Tails::heavy}) {
        std::ptrdiff_t apart = 0;
        for (std::uint64_t seed = 0; seed < 100; ++seed)
            for (const auto& one :
                 compare_rows(fleet_rows({.rows = 20, .hosts = 8}, {.boot = 0.01, .tails = tails}, seed, no_change)))
                apart += one.apart > 0;
        EXPECT_LE(apart, 4) << "of 2,000 rows";
    }
}

}  // namespace
}  // namespace tocuda
