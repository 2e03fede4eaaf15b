// tocuda, Apache-2.0.
// The documents of bench, judge and list, as a program reads them.
#include <gtest/gtest.h>

#include "json_lines/documents.hpp"
#include "json_lines/json.hpp"

namespace tocuda {
namespace {

RunLine some_run(const std::string& id = "r") {
    return {.run = id,
            .time = "2026-01-02T03:04:05Z",
            .verb = "bench",
            .device = Device::simulated,
            .session = "s",
            .suite = {"0.1.0", {}, false}};
}

json::Json row_of(const RowSummary& row) {
    return json::Json::parse(bench_document({some_run(), {"f.jsonl"}, "complete", {{row}, {}, {}}, {}}))["rows"][0];
}

TEST(BenchDocument, RowHasItsFigures) {
    const auto row = row_of({.benchmark = "memory/triad",
                             .parameters = {{"bytes", 4096}},
                             .id = "00ff",
                             .device = Device::real,
                             .gpu = "GPU-1",
                             .check = "every byte",
                             .processes = 6,
                             .process_medians = {{7, 0.4}, {8, 0.6}},
                             .samples = 60,
                             .median_seconds = 0.5,
                             .interval = Range{0.4, 0.6},
                             .interval_level = 0.96875,
                             .half_width = 0.2,
                             .detectable = 0.01,
                             .bytes_one_way = 4096,
                             .bytes_touched = 12288,
                             .bytes_per_second_one_way = 8192.0,
                             .bytes_per_second_touched = 24576.0,
                             .percent_of_peak = 50.0,
                             .peak = {49152, "data sheet"},
                             .flags = {"sw_power_cap"},
                             .left_out = {{3, Status::crashed, "signal 11"}, {4, Status::invalid, "hw_thermal", 0.9}}});
    const auto expected = json::Json::parse(
        R"({"benchmark":"memory/triad","parameters":{"bytes":4096},"id":"00ff","device":"real","gpu":"GPU-1",
        "clock":"device","status":"ok","check":"every byte","median_seconds":0.5,
        "interval_seconds":[0.4,0.6],
        "interval_level":0.96875,"half_width":0.2,
        "bytes_one_way":4096,"bytes_touched":12288,"bytes_per_second_one_way":8192.0,"bytes_per_second_touched":24576.0,
        "percent_of_peak":50.0,"peak_counted":"touched","peak_bytes_per_second":49152.0,"peak_source":"data sheet",
        "processes":6,"samples":60,
        "process_medians":[{"process":7,"median_seconds":0.4},{"process":8,"median_seconds":0.6}],
        "detectable_change":0.01,"flags":["sw_power_cap"],
        "left_out":[{"process":3,"status":"crashed","because":"signal 11","median_seconds":null},
        {"process":4,"status":"invalid","because":"hw_thermal","median_seconds":0.9}],"run":"r"})");
    EXPECT_EQ(row, expected);
}

TEST(BenchDocument, MissingIntervalIsNullAndMissingPeakOmitsThePercentage) {
    const auto row = row_of({.benchmark = "a", .status = Status::skipped, .because = "needs 2 GPUs"});
    EXPECT_TRUE(row["interval_seconds"].is_null() && row["detectable_change"].is_null() &&
                row["interval_level"].is_null() && row["median_seconds"].is_null());
    EXPECT_FALSE(row.contains("percent_of_peak"));
    EXPECT_EQ(row["because"], "needs 2 GPUs");
}

TEST(BenchDocument, HasFits) {
    const MeasuredRun measured{.rows = {},
                               .fits = {{.benchmark = "copy",
                                         .sizes = 3,
                                         .t0_seconds = 1e-5,
                                         .bytes_per_second = 5e10,
                                         .half_bandwidth_bytes = 5e5,
                                         .residual = 0.01},
                                        {.benchmark = "few", .sizes = 1, .because = "1 size: a fit needs 3"}},
                               .taxes = {}};
    const auto document = json::Json::parse(bench_document({some_run(), {"f.jsonl"}, "complete", measured, {}}));
    EXPECT_EQ(document["fits"][0]["half_bandwidth_bytes"], 5e5);
    EXPECT_TRUE(document["fits"][1]["t0_seconds"].is_null());
    EXPECT_EQ(document["fits"][1]["because"], "1 size: a fit needs 3");
    EXPECT_EQ(document["fits"][1]["run"], "r");
    EXPECT_EQ(document["rows"], json::Json::array());
}

TEST(BenchDocument, HasFrameworkTaxes) {
    const FrameworkTax tax{.benchmark = "framework/to",
                           .parameters = {{"bytes", 4096}},
                           .id = "00ff",
                           .device = Device::real,
                           .gpu = "GPU-1",
                           .processes = 6,
                           .ratio = 1.5,
                           .ratio_interval = Range{1.4, 1.6},
                           .extra_seconds = 2e-6,
                           .extra_interval = Range{1e-6, 3e-6}};
    const auto document =
        json::Json::parse(bench_document({some_run(), {"f.jsonl"}, "complete", {{}, {}, {tax, {}}}, {}}));
    EXPECT_EQ(document["taxes"][0],
              json::Json::parse(
                  R"({"benchmark":"framework/to","parameters":{"bytes":4096},"id":"00ff","device":"real","gpu":"GPU-1",
        "clock":"host","processes":6,"ratio":1.5,"ratio_interval":[1.4,1.6],"extra_seconds":2e-06,
        "extra_interval_seconds":[1e-06,3e-06],"run":"r"})"));
    EXPECT_TRUE(document["taxes"][1]["ratio_interval"].is_null());
}

TEST(RecordedDocument, ClaimsCarryTheirStatementAndReason) {
    Row row{.name = "dtype/double_move", .variant = "default"};
    row.claims = {{"000-04", Verdict::refuted, Verdict::refuted, "arrived as double"},
                  {"000-05", Verdict::refuted, Verdict::refuted, "it moved"}};
    const auto document = json::Json::parse(
        run_document({some_run(), {"f.jsonl"}, "complete", {}, {row}, {{"000-04", "an older GPU refuses doubles"}}}));
    EXPECT_EQ(document["claims"][0]["statement"], "an older GPU refuses doubles");
    EXPECT_EQ(document["claims"][0]["because"], "arrived as double");
    EXPECT_TRUE(document["claims"][1]["statement"].is_null()) << "no worker knows it any more";
}

TEST(ErrorDocument, HasMessageAndExitCode) {
    EXPECT_EQ(json::Json::parse(error_document("tocuda run: no", 2)),
              json::Json::parse(R"({"error":{"message":"tocuda run: no","exit_code":2}})"));
}

TEST(RecordedDocument, HasRunFilesAndStatus) {
    const auto document =
        json::Json::parse(bench_document({some_run(), {"f.jsonl", "copy.jsonl"}, "interrupted", {}, {}}));
    EXPECT_EQ(document["run"], "r");
    EXPECT_EQ(document["file"], "f.jsonl");
    EXPECT_EQ(document["device"], "simulated");
    EXPECT_FALSE(document["about"].contains("kind"));
    EXPECT_EQ(document["about"]["time"], "2026-01-02T03:04:05Z");
    EXPECT_EQ(document["about"]["suite"]["version"], "0.1.0");
    const auto& run = document["runs"].at(0);
    EXPECT_EQ(run["about"], document["about"]);
    EXPECT_EQ(run["files"], (json::Json{"f.jsonl", "copy.jsonl"}));
    EXPECT_EQ(run["status"], "interrupted");
    EXPECT_FALSE(document.contains("scenarios"));
}

TEST(RecordedDocument, RowsOfSeveralRunsNameTheirRun) {
    const Row broken{"dtype/double_move", "default", {}, {{"000-04", Verdict::broken, Verdict::refuted, "why"}}};
    const Row sound{"dtype/double_move", "default", {}, {{"000-04", Verdict::refuted, Verdict::refuted, "why"}}};
    const auto document = json::Json::parse(
        judge_document({{some_run("a"), {"a.jsonl"}, "complete", {{{.benchmark = "copy"}}, {}, {}}, {}},
                        {some_run("b"), {"b.jsonl"}, "partial", {}, {broken, sound}}}));
    EXPECT_EQ(document["run"], "a");
    EXPECT_EQ(document["rows"].at(0)["run"], "a");
    EXPECT_EQ(document["scenarios"].at(0)["run"], "b");
    EXPECT_EQ(document["scenarios"][0]["claims"][0]["unexpected"], true);
    EXPECT_EQ(document["scenarios"][1]["claims"][0]["unexpected"], false);
    EXPECT_FALSE(document["runs"].at(0).contains("claims"));
    EXPECT_EQ(document["runs"].at(1)["claims"], document["claims"]);
    EXPECT_EQ(document["claims"].at(0)["unexpected_rows"], 1);
    EXPECT_EQ(document["totals"]["unexpected"], 1);
}

TEST(RecordedDocument, OmitsPartsThatWereNotRecorded) {
    EXPECT_FALSE(
        json::Json::parse(judge_document({{some_run(), {}, "complete", {{{.benchmark = "copy"}}, {}, {}}, {}}}))
            .contains("scenarios"));
    EXPECT_FALSE(
        json::Json::parse(judge_document({{some_run(), {}, "complete", {}, {Row{"a", "b"}}}})).contains("rows"));
}

TEST(ListDocument, BenchmarkListsQuickAndFullChanges) {
    const auto document = json::Json::parse(list_document({}, {{.benchmark = {.name = "memory/read",
                                                                              .summary = "read",
                                                                              .parameters = {{"bytes", {4096, 65536}}},
                                                                              .quick = {{"bytes", {}}},
                                                                              .full = {{"bytes", {1}}},
                                                                              .alternates = "through"}}}));
    EXPECT_EQ(document["benchmarks"][0],
              json::Json::parse(
                  R"({"name":"memory/read","summary":"read","clock":"device","parameters":{"bytes":[4096,65536]},
                  "quick":{"bytes":[]},"full":{"bytes":[1]},"alternates":"through",
                  "needs":{"gpus":0,"free_gib":0.0,"compute_capability":"","arithmetic":false},
                  "group":{"name":"","order":1000},"cost":{"bytes":"by_host"},
                  "worker":"","runnable":"","because":""})"));
}

}  // namespace
}  // namespace tocuda
