// tocuda, Apache-2.0.
// The table of `bench`: never wider than 80 columns, and every number in its column.
#include "command/bench_table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tocuda {
namespace {

RowSummary row(const std::string& benchmark, const Parameters& parameters) {
    RowSummary row{.benchmark = benchmark,
                   .parameters = parameters,
                   .id = "0123456789abcdef",
                   .device = Device::real,
                   .gpu = "GPU-1"};
    row.processes = 12;
    row.median_seconds = 1.2061e-3;
    row.interval = Range{1.2049e-3, 1.2085e-3};
    row.interval_level = 0.96;
    row.detectable = 0.0083;
    row.bytes_per_second_one_way = 55.634e9;
    row.bytes_per_second_touched = 111.268e9;
    row.percent_of_peak = 88.312;
    row.peak = {63.015e9, "PCIe 5.0 x16, 63.0 GB/s one way", std::nullopt};
    return row;
}

std::string table(const std::vector<RowSummary>& rows, const std::vector<PathFit>& fits = {}) {
    return bench_table({rows, fits, {}}, Paper(false));
}

void expect_eighty_columns(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), paper_columns) << line;
}

TEST(BenchTable, PutsEveryNumberInItsColumn) {
    auto one = row("copy/host_to_device/pinned", {{"bytes", 67108864}});
    one.flags = {"sw_power_cap", "link_below_maximum"};
    const auto text = table({one});
    EXPECT_NE(text.find("  64 MiB              1.206 ms   -0.10 +0.20   55.63   111.3   88.3  12   0.8 ab\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  a  sw_power_cap\n  b  link_below_maximum\n"), std::string::npos) << text;
    EXPECT_NE(text.find("peak 63.02 GB/s: PCIe 5.0 x16"), std::string::npos) << text;
    expect_eighty_columns(text);
}

TEST(BenchTable, ShowsUnknownNumbersAsDash) {
    auto one = row("allocate/page_lock", {{"bytes", 4}});
    one.interval.reset();
    one.detectable.reset();
    one.percent_of_peak.reset();
    one.peak = {};
    const auto text = table({one});
    EXPECT_NE(text.find("1.206 ms             -   55.63   111.3      -  12     -\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("\n  peak "), std::string::npos);
}

TEST(BenchTable, SortsRowsBySizeAndPutsSharedParametersInHeading) {
    const auto text = table({row("b", {{"bytes", 1048576}, {"streams", 2}}), row("a", {{"bytes", 4}}),
                             row("b", {{"bytes", 4096}, {"streams", 2}})});
    EXPECT_LT(text.find("\na  "), text.find("\nb  "));
    EXPECT_LT(text.find("4 KiB"), text.find("1 MiB"));
    EXPECT_NE(text.find("b  streams=2, device clock"), std::string::npos) << text;
}

TEST(BenchTable, SingleRowShowsItsSizeBesideItsNumbers) {
    const auto text = table({row("convert/device/cast", {{"bytes", 4}, {"from", "float"}, {"to", "bfloat16"}}),
                             row("start/first_byte", {{"loading", "LAZY"}})});
    EXPECT_NE(text.find("convert/device/cast  from=float to=bfloat16, device clock\n  4 B   "), std::string::npos)
        << text;
    EXPECT_NE(text.find("start/first_byte  device clock\n  loading=LAZY   "), std::string::npos) << text;
}

TEST(BenchTable, GivesEachPathAHeadingIfParametersDoNotFit) {
    std::vector<RowSummary> rows;
    for (const auto* from : {"double", "float8_e4m3"})
        for (const auto bytes : {4096, 1048576})
            rows.push_back(row("convert/kernel", {{"bytes", bytes}, {"from", from}, {"to", "bfloat16"}}));
    const auto text = table(rows);
    EXPECT_NE(text.find("convert/kernel  from=double to=bfloat16, device clock\n  4 KiB "), std::string::npos) << text;
    EXPECT_NE(text.find("convert/kernel  from=float8_e4m3 to=bfloat16"), std::string::npos) << text;
    expect_eighty_columns(text);
}

TEST(BenchTable, ShowsReasonInsteadOfNumbersIfNotOk) {
    auto bad = row("a", {{"bytes", 4}});
    bad.status = Status::wrong;
    bad.because =
        "byte 17 is 0xc3 where 0x5a was expected, and 4096 more, before the first sample was taken of it at all";
    auto skipped = row("two", {{"bytes", 4}});
    skipped.status = Status::skipped;
    skipped.because = "needs 2 GPUs; found 1";
    auto also_skipped = skipped;
    also_skipped.parameters = {{"bytes", 16}};
    const auto text = table({bad, skipped, also_skipped});
    EXPECT_NE(text.find("wrong: byte 17"), std::string::npos) << text;
    EXPECT_NE(text.find("  skipped: needs 2 GPUs; found 1\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("16 B"), std::string::npos) << "a reason shared by all rows is printed once";
    expect_eighty_columns(text);
}

TEST(BenchTable, ShowsFitBelowItsPath) {
    const PathFit fit{.benchmark = "a",
                      .device = Device::real,
                      .gpu = "GPU-1",
                      .sizes = 14,
                      .t0_seconds = 2.1e-6,
                      .bytes_per_second = 55.6e9,
                      .half_bandwidth_bytes = 116760,
                      .residual = 0.031};
    auto other_gpu = fit;
    other_gpu.gpu = "GPU-2";
    const auto text = table({row("a", {{"bytes", 4}})}, {fit, other_gpu});
    const auto sentence = text.find("start-up 2.100 us, then 55.60 GB/s; half of that at 114 KiB; off by 3.1 %");
    EXPECT_NE(sentence, std::string::npos) << text;
    EXPECT_EQ(text.find("start-up", sentence + 1), std::string::npos) << "the fit of another GPU does not belong here";
}

TEST(BenchTable, NamesGpusIfThereAreSeveral) {
    auto other = row("a", {{"bytes", 4}});
    other.gpu = "GPU-70c0da00-0000-4000-8000-000000000002";
    const auto text = table({row("a", {{"bytes", 4}}), other});
    EXPECT_NE(text.find("on GPU-1"), std::string::npos) << text;
    EXPECT_NE(text.find("on GPU-70c0da00-0000-4000-8000-000000000002"), std::string::npos) << text;
    expect_eighty_columns(text);
}

TEST(BenchTable, MarksWhyMeasuringStopped) {
    auto one = row("a", {{"bytes", 4}});
    one.stopped = "budget";
    EXPECT_NE(table({one}).find("  a  the time ran out"), std::string::npos);
    one.stopped = "settled";
    EXPECT_EQ(table({one}).find("  a  "), std::string::npos);
}

TEST(BenchFindings, ReportsFailedProcessesOfSoundRows) {
    auto one = row("a", {{"bytes", 4}});
    EXPECT_FALSE(has_findings({one}));
    one.left_out = {{3, Status::skipped, "x"}};
    EXPECT_FALSE(has_findings({one}));
    one.left_out.push_back({5, Status::crashed, "ended by signal 11"});
    EXPECT_TRUE(has_findings({one}));
    EXPECT_EQ(bench_findings({one}, Paper(false)), "! a 4 B: crashed in process 5: ended by signal 11\n");
    one.left_out.push_back({7, Status::crashed, "ended by signal 9"});
    EXPECT_EQ(bench_findings({one}, Paper(false)), "! a 4 B: crashed in 2 processes, first 5: ended by signal 11\n");
}

}  // namespace
}  // namespace tocuda
