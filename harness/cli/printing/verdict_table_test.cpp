// tocuda, Apache-2.0.
// What `run` and `judge` print: goldens at three widths, in colour and plain, and what decides which lines are shown.
#include "printing/verdict_table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "printing/golden_test.hpp"
#include "printing/shown_scenario.hpp"

namespace tocuda {
namespace {

struct Seen {
    std::string name;
    std::string variant = "default";
    std::string fake{};  // "runtime 2x8GiB", "driver absent"
    ClaimVerdict claim{};
};

Row row_of(const Seen& seen) {
    Row row{.name = seen.name, .variant = seen.variant, .evidence = {}, .claims = {seen.claim}};
    if (!seen.fake.empty()) row.evidence.stand_in = {seen.fake};
    if (!seen.fake.empty() && seen.fake != "driver absent") row.evidence.device = Device::simulated;
    return row;
}

constexpr auto simulated = "runtime 2x8GiB";

std::vector<Row> expected_rows() {
    using enum Verdict;
    std::vector<Row> rows;
    for (const auto& seen : std::vector<Seen>{
             {"dtype/double_move",
              "default",
              simulated,
              {"000-04", refuted, refuted, "arrived as double, equal bit for bit"}},
             {"dtype/double_move",
              "older_gpu",
              "runtime 1xT4",
              {"000-04", refuted, refuted, "arrived on a T4 as double, equal bit for bit"}},
             {"dtype/cpu_conversions",
              "cpu",
              "",
              {"001-14", partial, partial, "float and double mix; float8 does not, and adding it throws"}},
             {"selection/busy",
              "refuses",
              "runtime 4x1GiB",
              {"001-08", partial, partial, "always an error, never the CPU"}},
             {"fragmentation/interleaved",
              "default",
              simulated,
              {"002-06", reproduced, reproduced, "160 MiB free in pieces of 16; 32 refused"}},
             {"fragmentation/same_size_loop",
              "default",
              simulated,
              {"002-E2", refuted, refuted,
               "100 tensors of 4 MiB took 1 allocation from the device, with 20 MiB reserved and none of it split"}},
             {"environment/no_driver",
              "no_driver",
              "driver absent",
              {"000-02", reproduced, reproduced, "to(cuda) throws \"Found no NVIDIA driver on your system\""}},
             {"environment/most_frequent_cause",
              "driver_12080",
              "driver 12080",
              {"001-02", inconclusive, inconclusive,
               "one possible cause; how often it is the cause one machine cannot say"}},
             {"transfer/matmul_time", "default", "", {"003-06", skipped, reproduced, "needs a GPU that computes"}},
             {"environment/kernel", "no_kernel_image", "", {"004-04", skipped, refuted, "needs a GPU that computes"}}})
        rows.push_back(row_of(seen));
    return rows;
}

std::vector<Row> unexpected_rows() {
    using enum Verdict;
    auto rows = expected_rows();
    rows[0].claims[0] = {"000-04", reproduced, refuted, "throws \"double is not supported\""};
    rows[4].claims[0] = {"002-06", broken, reproduced, "ended by signal 11 (SIGSEGV) after 0.31 s"};
    return rows;
}

const Statements& statements() {
    static const Statements all{{"000-02", "without a driver nothing works on the GPU"},
                                {"000-04", "an older GPU refuses doubles"},
                                {"001-02", "a version mismatch is the most frequent cause"},
                                {"001-08", "a busy GPU may be chosen and fail"},
                                {"001-14", "PyTorch converts types gracefully"},
                                {"002-06", "fails although enough is free"},
                                {"002-E2", "allocating tensors of one size in a loop fragments the memory"},
                                {"003-06", "a GPU multiplies faster"},
                                {"004-04", "the toolkit must match the GPU precisely"}};
    return all;
}

RunLine without_gpu() {
    RunLine run;
    run.device = Device::simulated;
    run.unavailable = {{"real_gpus",
                        "none: no driver: libcuda.so.1 cannot be loaded: libcuda.so.1: cannot open shared "
                        "object file: No such file or directory"}};
    return run;
}

std::string whole(const std::vector<Row>& rows, const std::optional<std::string>& screenful_of, const Paper& paper) {
    return where_it_ran(without_gpu(), rows, 49.3, paper) + "\n" + totals_line(tally(rows)) + "\n\n" +
           verdict_table(rows, statements(), screenful_of, paper) + unexpected_claims(rows, statements(), paper);
}

TEST(VerdictTable, ScreenfulIsGolden) {
    expect_goldens("run_screenful", [](const Paper& paper) { return whole(expected_rows(), "FILE", paper); });
}

TEST(VerdictTable, EveryClaimIsGolden) {
    expect_goldens("run_all", [](const Paper& paper) { return whole(expected_rows(), {}, paper); });
}

TEST(VerdictTable, UnexpectedIsGolden) {
    expect_goldens("run_unexpected", [](const Paper& paper) { return whole(unexpected_rows(), "FILE", paper); });
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(VerdictTable, UnexpectedComesLast) {
    const Paper paper(Surface{.columns = 140});
    const auto text = whole(unexpected_rows(), {}, paper);
    EXPECT_GT(text.rfind("000-04"), text.rfind("003-06"));
    EXPECT_TRUE(has(text, "dtype/double_move default is true, expected false")) << text;
    EXPECT_TRUE(has(text, "; 2 unexpected")) << text;
}

TEST(VerdictTable, ScreenfulHasOneLineForEachFamilyAndSaysHowManyMore) {
    const Paper paper(Surface{.columns = 140});
    const auto text = verdict_table(expected_rows(), statements(), "FILE", paper);
    for (const auto* id : {"000-04", "001-08", "000-02"}) EXPECT_TRUE(has(text, id)) << id << "\n" << text;
    EXPECT_NE(has(text, "002-06"), has(text, "002-E2")) << "one of the family\n" << text;
    EXPECT_TRUE(has(text, "2 more; the evidence: `tocuda show ")) << text;
    EXPECT_TRUE(has(text, "; all of them:\n         tocuda judge FILE --all\n")) << text;
    EXPECT_TRUE(has(text, "003-06, 004-04: needs a GPU that computes")) << text;
}

TEST(VerdictTable, FakeDriverIsNeverCalledSimulatedGpu) {
    const Paper paper(Surface{.columns = 140});
    auto rows = expected_rows();
    std::erase_if(rows, [](const Row& row) {
        return row.evidence.stand_in.empty() || !row.evidence.stand_in.front().starts_with("driver ");
    });
    RunLine run;  // --real, without a GPU
    const auto text = where_it_ran(run, rows, 0, paper) + verdict_table(rows, statements(), {}, paper);
    EXPECT_FALSE(has(text, "SIMULATED")) << text;
    EXPECT_FALSE(has(text, "simulated")) << text;
    EXPECT_TRUE(has(text, "fake driver")) << text;
}

TEST(VerdictTable, RealGpuIsNamedAndWhatWasSimulatedIsMarked) {
    const Paper paper(Surface{.columns = 140});
    RunLine run;
    run.device = Device::real;
    run.gpus = {{.index = 0, .uuid = "GPU-1", .name = "NVIDIA H200"}};
    run.driver.kernel_module = "580.95.05";
    auto rows = expected_rows();
    rows[0].evidence.device = Device::real;
    rows[0].evidence.stand_in.clear();
    const auto text = where_it_ran(run, rows, 12, paper);
    EXPECT_TRUE(has(text, "Seen on NVIDIA H200, driver 580.95.05 unless marked [cpu], [driver] or [simulated]"))
        << text;
    EXPECT_FALSE(has(text, "NO GPU")) << text;
    EXPECT_TRUE(has(verdict_table(rows, statements(), {}, paper), "[simulated] 160 MiB free")) << text;
}

Listed listed_scenario() {
    Listed listed;
    listed.scenario.name = "fragmentation/same_size_loop";
    listed.scenario.summary = "allocates tensors of one size in a loop and drops each before the next";
    listed.scenario.claims = {{"002-E2", statements().at("002-E2")}};
    listed.scenario.variants = {{.name = "default", .expected = {{"002-E2", Verdict::refuted}}},
                                {.name = "max_split_size", .expected = {{"002-E2", Verdict::refuted}}}};
    listed.scenario.observed = "how much the allocator took from the device, and how much of it is split";
    listed.scenario.decisive = "whether a large request fails although as much is free";
    listed.runnable = "simulated";
    listed.because = "found 2 simulated GPUs (2x8GiB)";
    return listed;
}

TEST(ShownScenario, IsGoldenAndTellsVariantsApartInNumbers) {
    LastSeen last{.file = "results/local/20261121T141334Z-run-simulated-853dd7dc.jsonl"};
    for (const auto& [variant, seen] :
         {std::pair("default", "1 allocation from the device, 20 MiB reserved"),
          std::pair("max_split_size", "100 allocations from the device, 420 MiB reserved")})
        last.rows.push_back(row_of({"fragmentation/same_size_loop",
                                    variant,
                                    simulated,
                                    {"002-E2", Verdict::refuted, Verdict::refuted, seen}}));
    expect_goldens("show_scenario", [&](const Paper& paper) {
        const auto text = scenario_text(listed_scenario(), last, Detail::whole, paper);
        EXPECT_TRUE(has(text, "20 MiB") && has(text, "420 MiB")) << text;
        return text;
    });
}

TEST(TotalsBySource, ClaimsOfTodayHaveALineOfTheirOwn) {
    Tally of{.claims = {{.id = "000-01", .verdict = Verdict::reproduced},
                        {.id = "T-01", .verdict = Verdict::refuted, .unexpected = 1}},
             .totals = {}};
    const Paper paper(Surface{.columns = 100});
    EXPECT_EQ(totals_by_source(of, paper),
              "1 claim of documents and the field: 1 true; all as expected\n"
              "1 claim of today: 1 false; 1 unexpected");
    of.claims.pop_back();
    EXPECT_EQ(totals_by_source(of, paper), "1 claim: 1 true; all as expected");
    Row example{.name = "documents/003_2", .variant = "gpu"};
    EXPECT_EQ(totals_text({example}, of, paper), "1 claim: 1 true; all as expected") << "it was skipped";
    example.evidence.outcome.ended = "exit";
    EXPECT_EQ(totals_text({example, example}, {}, paper),
              "1 example of the documents; what each line did: `tocuda show documents/003_2`");
    example.evidence.outcome = {.ended = "signal", .code = 9, .seconds = 2};
    EXPECT_EQ(totals_text({example}, of, paper),
              "1 claim: 1 true; all as expected\n! documents/003_2 gpu: ended by signal 9 (SIGKILL) after 2.00 s");
}

TEST(ListingTable, IsGolden) {
    ListedBenchmark benchmark{.runnable = "no", .because = "needs 2 GPUs; found no GPU"};
    benchmark.benchmark.name = "copy/between_gpus/peer";
    benchmark.benchmark.summary = "copies between two GPUs, directly if they can reach each other";
    expect_goldens("list", [&](const Paper& paper) { return listing_table({listed_scenario()}, {benchmark}, paper); });
}

TEST(ListingTable, NeighboursShareAReason) {
    auto scenario = listed_scenario();
    scenario.runnable = "no";
    scenario.because = "not built yet";
    auto other = scenario;
    other.because = "needs 2 GPUs";
    const auto text = listing_table({scenario, scenario, other, scenario}, {}, Paper(false));
    std::vector<std::string> reasons;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("    ") && line[4] != ' ') reasons.push_back(line.substr(4));
    EXPECT_EQ(reasons, (std::vector<std::string>{"not built yet", "needs 2 GPUs", "not built yet"})) << text;
}

}  // namespace
}  // namespace tocuda
