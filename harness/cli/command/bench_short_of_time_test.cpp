// tocuda, Apache-2.0.
// Measurements whose time budget is too short, through the whole program; and whether the sweeps fit into theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "command/driven_program_test.hpp"
#include "execution/bench_plan.hpp"
#include "execution/bench_rounds.hpp"
#include "model/forecast.hpp"
#include "request/characterise.hpp"
#include "request/selection.hpp"

namespace tocuda {
namespace {

class ShortOfTime : public testing::Test {
protected:
    ShortOfTime() { place.add_fake_bench(); }

    driven::Finished bench(driven::Words words, const driven::Variables& more = {}) {
        words.insert(words.begin(), "bench");
        return place.run(words, more);
    }
    std::vector<MeasurementRow> rows(std::size_t section) const {
        std::vector<MeasurementRow> all;
        const auto recording = place.recording();
        for (const auto& one : recording.sections.at(section).measurements) all.push_back(one.row);
        return all;
    }

    driven::Place place;
};

TEST_F(ShortOfTime, MeasuresGroupsOneAfterAnother) {
    const auto log = place.folder / "asked";
    EXPECT_EQ(bench({"fake/steady", "memory/steady"}, {{"FAKE_LOG", log}}).code, 0);
    std::string order;
    std::istringstream lines(driven::text_of(log));
    for (std::string line; std::getline(lines, line);) order += line.starts_with("memory/") ? 'm' : 'f';
    EXPECT_EQ(order, "mmmmmmffffff");
    const auto file = place.files().at(0).string();
    const auto verified = place.run({"verify", file});
    EXPECT_EQ(verified.out.find("rounds must not decrease"), std::string::npos) << verified.out;
}

TEST_F(ShortOfTime, SkipsWhatWasNotReachedAndResumeMeasuresIt) {
    const auto first = bench({"fake/steady", "--budget", "0.000001"});
    EXPECT_EQ(first.code, 4) << "nothing was measured\n" << first.err;
    EXPECT_NE(first.err.find("3 of 3 parameter sets are missing"), std::string::npos) << first.err;
    EXPECT_NE(first.out.find("3 of 3 parameter sets are missing"), std::string::npos) << first.out;
    EXPECT_NE(first.err.find("bench --resume results/local/"), std::string::npos) << first.err;
    ASSERT_EQ(rows(0).size(), 3U);
    for (const auto& row : rows(0)) {
        EXPECT_EQ(row.samples.status, Status::skipped);
        EXPECT_EQ(row.samples.check, "budget: 1e-06 s ran out before this parameter set was reached");
        EXPECT_EQ(row.samples.flags, Flags{"budget"});
    }
    const auto file = place.files().at(0).string();
    const auto cited = place.run({"cite", file, rows(0).at(0).id});
    EXPECT_EQ(cited.code, 1);
    EXPECT_NE((cited.out + cited.err).find("budget"), std::string::npos) << cited.out << cited.err;

    const auto second = bench({"--resume", file, "--budget", "100", "--json"});
    EXPECT_EQ(second.code, 0) << second.err;
    const auto found = nlohmann::json::parse(second.out);
    ASSERT_EQ(found["rows"].size(), 3U);
    for (const auto& row : found["rows"]) {
        EXPECT_EQ(row["status"], "ok");
        EXPECT_EQ(row["processes"], 6);
        EXPECT_EQ(row["flags"], nlohmann::json::array()) << "the budget flag is gone";
    }
    EXPECT_EQ(rows(1).size(), 18U);
    const auto third = bench({"--resume", file});
    EXPECT_NE(third.err.find("nothing was missing"), std::string::npos) << third.err;
}

TEST_F(ShortOfTime, HangIsEndedWithBudgetAndIsNoFinding) {
    const auto finished = bench({"fake/steady", "memory/hangs", "--budget", "5", "--json"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(place.nothing_runs());
    const auto found = nlohmann::json::parse(finished.out);
    ASSERT_EQ(found["rows"].size(), 6U);
    for (const auto& row : found["rows"]) {
        EXPECT_TRUE(row["status"] == "ok" || row["status"] == "skipped") << row.dump();
        EXPECT_EQ(row["flags"], nlohmann::json::array({"budget"})) << row.dump();
        EXPECT_TRUE(row["benchmark"] == "memory/hangs" || row["status"] == "skipped")
            << "its group had not begun: " << row.dump();
        EXPECT_TRUE(row["status"] == "skipped" || row["processes"] < 6) << row.dump();
    }
    EXPECT_EQ(place.recording().sections.at(0).end.value_or(EndLine{}).status, "complete");
    EXPECT_NE(finished.err.find("the time budget of 5 s is too short"), std::string::npos) << finished.err;
    EXPECT_EQ(finished.err.find("timeout"), std::string::npos) << finished.err;
}

// The sweeps of this build on H200s, by the estimated cost of each process and of starting tocuda itself.
struct Swept {
    const char* name;
    Wanted wanted;
    double minutes;
    int gpus = 1;
    double slower = 1;       // each process, than estimated
    const char* up_to = "";  // the last group of which everything is measured; empty: of all
    double start_seconds = 3;
};
class Sweeping : public testing::TestWithParam<Swept> {};

Catalogue catalogue_of_this_build() {
    const auto build = driven::tests_folder().parent_path();
    driven::Place place;
    place.run({"list"}, {{"TOCUDA_WORKERS", build}});  // a worker newer than its description is asked again
    return load_catalogue({build});
}

TEST_P(Sweeping, EndsMinimumRoundsWithinBudget) {
    const auto& [name, wanted, minutes, gpus, slower, up_to, start_seconds] = GetParam();
    const auto catalogue = catalogue_of_this_build();
    auto sweeps = sweeps_of(catalogue, wanted).value();
    if (sweeps.sweeps.empty()) GTEST_SKIP() << "this build has no worker that measures";
    remove_pairs_beyond(sweeps, std::max(2, gpus));
    std::vector<Gpu> h200s;
    for (int index = 0; index < gpus; ++index)
        h200s.push_back({.index = index,
                         .name = "NVIDIA H200",
                         .compute_capability = "9.0",
                         .memory_bytes = std::int64_t{150754820096}});
    const auto protocol = protocol_called(wanted.protocol);
    BenchRounds rounds(bench_units(sweeps.sweeps, {0}, false, h200s), protocol, 1, {.seconds = 60 * minutes});
    double clock = start_seconds;
    while (const auto next = rounds.take(clock)) {
        const auto& unit = rounds.all()[next->unit];
        const double takes = slower * known_seconds(*unit.sweep, next->sets, protocol, false, unit.gpus.size());
        clock += takes;
        for (const auto& set : next->sets) rounds.hear(next->unit, next->round, {.parameters = set, .seconds = {1}});
        rounds.ended(*next, takes, {});
    }
    int last = Group::last;
    for (const auto& sweep : sweeps.sweeps)
        if (sweep.benchmark.group.name == up_to) last = sweep.benchmark.group.order;
    for (const auto& cut : rounds.cut_short()) {
        const auto& benchmark = rounds.all()[cut.unit].sweep->benchmark;
        EXPECT_GT(benchmark.group.order, last) << benchmark.name << " has " << cut.processes << " processes, needed "
                                               << cut.needed << " s, and " << cut.left << " s were left";
    }
    EXPECT_LE(clock, 60 * minutes);
}

INSTANTIATE_TEST_SUITE_P(Protocols, Sweeping,
                         testing::Values(Swept{"quick", {.protocol = "quick"}, 1}, Swept{"default", {}, 8},
                                         Swept{"default_of_eight_slow_gpus", {}, 8, 8, 1.6, "framework"},
                                         Swept{"characterise", {.characterise = true}, 14}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Tuning, CostsAsLittleAsWhatIsTuned) {
    const auto catalogue = catalogue_of_this_build();
    const auto found = sweeps_of(catalogue, {.patterns = {"tune/"}});
    if (!found) GTEST_SKIP() << "this build has no worker that measures";
    for (const auto& sweep : found->sweeps) {
        if (sweep.benchmark.name.starts_with("tune/staged")) continue;  // the CPU compares what it moves
        const auto sets = static_cast<double>(sweep.sets.size());
        EXPECT_LT(known_seconds(sweep, sweep.sets, protocol_called("default")), 2 + 0.3 * sets) << sweep.benchmark.name;
    }
}

TEST(Quick, MeasuresAllPairsOfEightGpusWithinAMinute) {
    const auto catalogue = catalogue_of_this_build();  // the sweeps point to its workers
    auto found = sweeps_of(catalogue, {.patterns = {"pairs/copy"}, .protocol = "quick"});
    if (!found) GTEST_SKIP() << "this build has no worker that measures";
    remove_pairs_beyond(*found, 8);
    const auto protocol = protocol_called("quick");
    const auto& sweep = found->sweeps.at(0);
    EXPECT_EQ(sweep.sets.size(), 8U * 7U);
    EXPECT_LE(protocol.processes_min * known_seconds(sweep, sweep.sets, protocol, false, 8), 60);
}

TEST(Characterise, SelectsOnlyWhatThisBuildHas) {
    const auto catalogue = catalogue_of_this_build();
    if (std::ranges::count_if(catalogue.workers, [](const Worker& one) { return !one.benchmarks.empty(); }) < 2)
        GTEST_SKIP() << "this build lacks a worker that measures";
    for (const auto& [benchmark, role] : described_roles()) {
        if (role.characterise.empty()) continue;
        EXPECT_EQ(select_benchmarks(catalogue, {benchmark}).size(), 1U) << benchmark;
    }
    std::set<std::string> names;
    const auto found = sweeps_of(catalogue, {.characterise = true});
    for (const auto& sweep : found.value().sweeps)
        EXPECT_TRUE(names.insert(sweep.benchmark.name).second) << sweep.benchmark.name << " has two sweeps";
}

}  // namespace
}  // namespace tocuda
