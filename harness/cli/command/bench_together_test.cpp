// tocuda, Apache-2.0.
// Several GPUs measured at once: which processes share a barrier, what the rows say, and what happens to the others
// when one fails.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "command/simulated_bench_test.hpp"

namespace tocuda {
namespace {

class TogetherBench : public BenchOnSimulatedGpus {
protected:
    driven::Finished bench(driven::Words words) const {
        words.insert(words.begin(), "bench");
        return place.run(words);
    }
};

TEST_F(TogetherBench, EachGpuHasRowWithNumberOfGpus) {
    const auto finished =
        bench({"fake/on_gpu", "--simulate", "3x1GiB", "--gpus", "all", "--together", "--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::map<std::string, int> count;
    std::set<std::string> ids;
    for (const auto& row : rows()) {
        ++count[row.samples.gpu];
        ids.insert(row.id);
        EXPECT_EQ(row.samples.parameters, (Parameters{{"bytes", 4096}, {"at_once", 3}}));
    }
    EXPECT_EQ(count, (std::map<std::string, int>{{"GPU-70c0da00-0000-4000-8000-000000000000", 6},
                                                 {"GPU-70c0da00-0000-4000-8000-000000000001", 6},
                                                 {"GPU-70c0da00-0000-4000-8000-000000000002", 6}}));
    EXPECT_EQ(ids.size(), 1U);
    EXPECT_NE(finished.out.find("at_once=3"), std::string::npos) << finished.out;
}

TEST_F(TogetherBench, RowMeasuredAloneIsNotComparedWithRowMeasuredTogether) {
    ASSERT_EQ(
        bench({"fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "all", "--bytes", "4KiB", "--output", "alone"}).code,
        0);
    ASSERT_EQ(bench({"fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "all", "--together", "--bytes", "4KiB",
                     "--output", "together"})
                  .code,
              0);
    const auto compared = place.run({"compare", "alone", "together"});
    EXPECT_EQ(compared.code, 4) << compared.out << compared.err;
}

TEST_F(TogetherBench, ProcessesOfEachRoundShareTheirOwnBarrier) {
    EXPECT_EQ(bench({"fake/meeting", "--simulate", "2x1GiB", "--gpus", "all", "--together", "--bytes", "4KiB"}).code,
              0);
    std::map<int, std::set<std::string>> places;
    std::set<std::string> all;
    for (const auto& row : rows()) {
        const auto flag = row.samples.flags.at(0).text();
        EXPECT_TRUE(flag.ends_with("_of_2")) << flag;
        places[row.round].insert(flag);
        all.insert(flag);
    }
    ASSERT_EQ(places.size(), 6U);
    for (const auto& [round, names] : places) EXPECT_EQ(names.size(), 1U) << round;
    EXPECT_EQ(all.size(), 6U);
}

TEST_F(TogetherBench, SingleProcessHasNoBarrier) {
    EXPECT_EQ(bench({"fake/meeting", "--simulate", "2x1GiB", "--gpus", "all", "--bytes", "4KiB"}).code, 0);
    for (const auto& row : rows()) EXPECT_EQ(row.samples.flags, Flags{"meeting__of_0"});
}

TEST_F(TogetherBench, WholeGroupRepeatsSetsThatOneProcessLeft) {
    const auto finished = bench({"fake/one_crashes", "--simulate", "2x1GiB", "--gpus", "all", "--together"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    std::map<std::string, std::set<std::string>> statuses;  // by GPU and size
    for (const auto& row : rows()) {
        const auto bytes = std::get<std::int64_t>(row.samples.parameters.at("bytes").held);
        statuses[fmt::format("{} {}", row.samples.gpu.back(), bytes)].insert(std::string(word(row.samples.status)));
    }
    EXPECT_EQ(statuses["1 65536"], std::set<std::string>{"crashed"});
    EXPECT_EQ(statuses["0 65536"], std::set<std::string>{"ok"});
    for (const auto* other : {"0 4096", "0 1048576", "1 4096", "1 1048576"})
        EXPECT_EQ(statuses[other], std::set<std::string>{"ok"}) << other;
    EXPECT_EQ(place.run({"verify", place.files().at(0).string()}).code, 0);
}

TEST_F(TogetherBench, ContinuesUntilAllGpusHaveSettled) {
    ASSERT_EQ(
        bench({"fake/noisy_gpu", "--simulate", "2x1GiB", "--gpus", "all", "--together", "--bytes", "4KiB", "--quick"})
            .code,
        0);
    EXPECT_EQ(rows().size(), 60U) << "the maximum number of processes on each GPU";
}

TEST_F(TogetherBench, SkipsBenchmarksThatDoNotUseOneGpu) {
    const auto finished =
        bench({"fake/on_two", "fake/steady", "--simulate", "2x1GiB", "--gpus", "all", "--together", "--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 4) << finished.err;
    ASSERT_EQ(rows().size(), 2U);
    for (const auto& row : rows()) EXPECT_EQ(word(row.samples.status), "skipped") << row.samples.check;
}

TEST_F(TogetherBench, MigInstancesAreMeasuredByProcessesThatSeeOneEach) {
    const auto instance = place.folder / "instance.json";
    driven::write(instance, R"({"name": "Part", "compute_capability": "9.0", "mig": 1,
                                "figures": {"multiprocessors": 16, "memory_bytes": 1073741824}})");
    const auto spec = "3x" + instance.string();
    EXPECT_EQ(bench({"fake/on_gpu", "--simulate", spec, "--gpus", "all", "--together", "--bytes", "4KiB"}).code, 0);
    std::set<std::string> seen;
    for (const auto& row : rows()) {
        EXPECT_EQ(word(row.samples.status), "ok") << row.samples.check;
        EXPECT_EQ(row.samples.parameters, (Parameters{{"bytes", 4096}, {"at_once", 3}}));
        seen.insert(row.samples.gpu);
    }
    EXPECT_EQ(seen, (std::set<std::string>{"MIG-70c0da00-0000-4000-8000-000000000000",
                                           "MIG-70c0da00-0000-4000-8000-000000000001",
                                           "MIG-70c0da00-0000-4000-8000-000000000002"}));
}

TEST_F(TogetherBench, SeveralProcessesOnOneGpuHaveARowEach) {
    const auto finished =
        bench({"fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "1,1,0,1", "--together", "--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::map<std::string, int> count;
    for (const auto& row : rows()) {
        const auto& set = row.samples.parameters;
        EXPECT_EQ(set.at("at_once"), Value(4));
        const auto found = set.find("neighbour");
        const auto neighbour = found == set.end() ? 0 : std::get<std::int64_t>(found->second.held);
        ++count[fmt::format("GPU {}, {}", row.samples.gpu.back(), neighbour)];
    }
    EXPECT_EQ(count, (std::map<std::string, int>{{"GPU 0, 0", 6}, {"GPU 1, 1", 6}, {"GPU 1, 2", 6}, {"GPU 1, 3", 6}}));
    EXPECT_NE(finished.out.find("neighbour=3"), std::string::npos) << finished.out;
    EXPECT_EQ(bench({"fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "1,1"}).code, 2);
}

TEST_F(TogetherBench, RefusesSingleGpu) {
    const auto finished = bench({"fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "1", "--together"});
    EXPECT_EQ(finished.code, 4);
    EXPECT_NE(finished.err.find("two GPUs or more, or one several times (--gpus 0,0); found 1"), std::string::npos)
        << finished.err;
}

TEST_F(TogetherBench, RequiresGpusOption) {
    const auto finished = bench({"fake/on_gpu", "--simulate", "2x1GiB", "--together"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_NE(finished.err.find("--gpus all"), std::string::npos) << finished.err;
}

TEST_F(TogetherBench, CannotBeResumed) {
    ASSERT_EQ(bench({"fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "all", "--together", "--bytes", "4KiB"}).code, 0);
    const auto finished = bench({"--resume", place.files().at(0).string()});
    EXPECT_EQ(finished.code, 2) << finished.err;
    EXPECT_NE(finished.err.find("start a new measurement"), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace tocuda
