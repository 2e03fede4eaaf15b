// tocuda, Apache-2.0.
// The documents of bench and list, as a program reads them.
#include <gtest/gtest.h>

#include "lines/documents.hpp"
#include "lines/json.hpp"

namespace tocuda {
namespace {

json::Json row_of(const RowSummary& row) {
    return json::object(bench_document({.run = "r", .file = "f.jsonl", .device = Device::simulated, .rows = {row}, .fits = {}}))["rows"][0];
}

TEST(BenchDocument, ARowHasItsFigures) {
    const auto row = row_of({.benchmark = "memory/triad", .parameters = {{"bytes", 4096}}, .id = "00ff", .device = Device::real, .gpu = "GPU-1",
                             .processes = 6, .samples = 60, .median_seconds = 0.5, .interval = Range{0.4, 0.6}, .interval_level = 0.96875,
                             .half_width = 0.2, .detectable = 0.01, .bytes_one_way = 4096, .bytes_touched = 12288,
                             .bytes_per_second_one_way = 8192.0, .bytes_per_second_touched = 24576.0, .percent_of_peak = 50.0,
                             .peak = {49152, "data sheet"}, .flags = {"sw_power_cap"}, .left_out = {{3, Status::crashed, "signal 11"}}});
    const auto expected = json::object(R"({"benchmark":"memory/triad","parameters":{"bytes":4096},"id":"00ff","device":"real","gpu":"GPU-1",
        "clock":"device","status":"ok","median_seconds":0.5,"interval":[0.4,0.6],"interval_level":0.96875,"half_width":0.2,
        "bytes_one_way":4096,"bytes_touched":12288,"bytes_per_second_one_way":8192.0,"bytes_per_second_touched":24576.0,
        "percent_of_peak":50.0,"peak_bytes_per_second":49152.0,"peak_source":"data sheet","processes":6,"samples":60,"detectable":0.01,
        "flags":["sw_power_cap"],"left_out":[{"process":3,"status":"crashed","because":"signal 11"}]})");
    EXPECT_EQ(row, expected);
}

TEST(BenchDocument, WithoutAnIntervalItIsNullAndWithoutAPeakThereIsNoPercentage) {
    const auto row = row_of({.benchmark = "a", .status = Status::skipped, .because = "needs 2 GPUs"});
    EXPECT_TRUE(row["interval"].is_null() && row["interval_level"].is_null() && row["median_seconds"].is_null() && row["detectable"].is_null());
    EXPECT_FALSE(row.contains("percent_of_peak"));
    EXPECT_EQ(row["because"], "needs 2 GPUs");
}

TEST(BenchDocument, FitsStandBesideTheRows) {
    const auto document = json::object(bench_document(
        {.run = {}, .file = "", .device = Device::none, .rows = {},
         .fits = {{.benchmark = "copy", .sizes = 3, .t0_seconds = 1e-5, .bytes_per_second = 5e10, .half_bandwidth_bytes = 5e5, .residual = 0.01},
                  {.benchmark = "few", .sizes = 1, .because = "1 size: a fit needs 3"}}}));
    EXPECT_EQ(document["fits"][0]["half_bandwidth_bytes"], 5e5);
    EXPECT_TRUE(document["fits"][1]["t0_seconds"].is_null());
    EXPECT_EQ(document["fits"][1]["because"], "1 size: a fit needs 3");
    EXPECT_FALSE(document.contains("run"));
    EXPECT_EQ(document["rows"], json::Json::array());
}

TEST(ListDocument, ABenchmarkSaysWhatQuickAndFullChange) {
    const auto document = json::object(list_document({}, {{.benchmark = {.name = "memory/read", .summary = "read", .parameters = {{"bytes", {4096, 65536}}},
                                                           .quick = {{"bytes", {}}}, .full = {{"bytes", {1}}}, .alternates = "through"}}}));
    EXPECT_EQ(document["benchmarks"][0],
              json::object(R"({"name":"memory/read","summary":"read","clock":"device","parameters":{"bytes":[4096,65536]},
                  "quick":{"bytes":[]},"full":{"bytes":[1]},"alternates":"through",
                  "needs":{"gpus":0,"free_gib":0.0,"compute_capability":"","arithmetic":false},"worker":"","runnable":"","because":""})"));
}

}  // namespace
}  // namespace tocuda
