// tocuda, Apache-2.0.
// `compare` with a history, and over a fleet.
#include <functional>

#include "command/comparing_test.hpp"

namespace tocuda {
namespace {

using Verdicts = std::vector<std::string>;

TEST_F(Comparing, HistoryProvidesMoreStarts) {
    sessions("old", 1, 3, "570.86.15");
    sessions("new", 4, 6, "580.95.05", 1.03);
    sessions("history/old", 7, 25, "570.86.15");
    EXPECT_EQ(verdicts(document({"old", "new"}, 0)), (Verdicts{"undecided", "undecided"}));
    const auto decided = document({"old", "new", "--history", "history"}, 1);
    EXPECT_EQ(verdicts(decided), (Verdicts{"same", "slower"}));
    EXPECT_EQ(decided["rows"][1]["history"], "this GPU's history");
}

TEST_F(Comparing, HistoryAloneComparesDrivers) {
    sessions("all", 1, 12, "570.86.15");
    EXPECT_EQ(compare({"--history", "all"}).code, 4) << "one driver";
    sessions("all", 13, 24, "580.95.05", 1.03);
    const auto history = document({"--history", "all"}, 1);
    ASSERT_EQ(history["drivers"].size(), 1U);
    EXPECT_EQ(history["drivers"][0]["old"], "570.86.15 (CUDA 13.0)");
    EXPECT_EQ(verdicts(history["drivers"][0]["compared"]), (Verdicts{"same", "slower"}));
    const auto told = compare({"--history", "all"}).out;
    EXPECT_TRUE(told.starts_with("570.86.15 (CUDA 13.0) -> 580.95.05 (CUDA 13.0)\n")) << told;
    EXPECT_LE(driven::widest_line(told), 80U) << told;
}

// Writes one node of a fleet; `factor` multiplies the time of its first row.
void write_node(const std::function<void(const RunLine&, const std::vector<MeasurementRow>&)>& write, int node,
                double factor, int width) {
    auto run = run_of(node, "570.86.15");
    const auto uuid = "GPU-" + two_digits(node);
    run.machine.host = "node" + two_digits(node);
    run.gpus[0].uuid = uuid;
    auto rows = rows_of(node, factor);
    for (auto& row : rows) {
        row.samples.gpu = uuid;
        row.samples.during = Telemetry{.link_width = width};
    }
    write(run, rows);
}

TEST_F(Comparing, FindsAGpuSlowerThanItsPeersAndTheReason) {
    const auto add = [&](const RunLine& run, const std::vector<MeasurementRow>& rows) {
        write("fleet/" + run.run + ".jsonl", run, rows);
    };
    for (int node = 1; node <= 12; ++node) write_node(add, node, node == 7 ? 1.05 : 1, node == 7 ? 8 : 16);
    const auto finished = compare({"--fleet", "fleet"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_NE(finished.out.find("node07 cuda:0 is 4.7 % below its 11 peers on"), std::string::npos) << finished.out;
    EXPECT_NE(finished.out.find("link width 8 instead of 16"), std::string::npos) << finished.out;
    const auto found = document({"--fleet", "fleet"}, 1)["found"];
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["gpu"], "GPU-07");
}

TEST_F(Comparing, EqualFleetRaisesNoAlarmAndASmallOneIsNotJudged) {
    const auto add = [&](const RunLine& run, const std::vector<MeasurementRow>& rows) {
        write("fleet/" + run.run + ".jsonl", run, rows);
    };
    for (int node = 1; node <= 3; ++node) write_node(add, node, 1, 16);
    EXPECT_EQ(compare({"--fleet", "fleet"}).code, 4);
    for (int node = 4; node <= 12; ++node) write_node(add, node, 1, 16);
    EXPECT_EQ(document({"--fleet", "fleet"}, 0)["totals"]["rows"], 24);
}

}  // namespace
}  // namespace tocuda
