// tocuda, Apache-2.0.
// The table of `bench`: never wider than 80 columns, and every number in its column.
#include "printing/bench_table.hpp"

#include "printing/best_choice.hpp"
#include "printing/golden_test.hpp"

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
    row.bytes_one_way = 67108864;
    row.bytes_per_second_one_way = 55.634e9;
    row.bytes_per_second_touched = 111.268e9;
    row.percent_of_peak = 88.312;
    row.peak = {63.015e9, "PCIe 5.0 x16, 63.0 GB/s one way", std::nullopt};
    return row;
}

std::string table(const std::vector<RowSummary>& rows, const std::vector<PathFit>& fits = {}) {
    return bench_table({rows, fits, {}}, Paper(false));
}

void expect_eighty_columns(const std::string& text) { EXPECT_LE(widest_line(text), paper_columns) << text; }

RowSummary with(RowSummary row, double seconds, const std::optional<Range>& interval) {
    row.median_seconds = seconds;
    row.interval = interval;
    const auto bytes = static_cast<double>(row.bytes_one_way);
    row.bytes_per_second_one_way = bytes / seconds;
    row.bytes_per_second_touched = 2 * bytes / seconds;
    return row;
}

RowSummary pinned(std::int64_t bytes) {
    const auto seconds = 2e-6 + static_cast<double>(bytes) / 63e9;
    auto one = row("copy/host_to_device/pinned", {{"bytes", bytes}});
    one.bytes_one_way = bytes;
    return with(one, seconds, Range{0.999 * seconds, 1.002 * seconds});
}

MeasuredRun measured_example() {
    std::vector<RowSummary> rows;
    for (const std::int64_t bytes : {4096, 1048576, 67108864}) rows.push_back(pinned(bytes));
    auto staged = row("copy/host_to_device/staged", {{"bytes", 67108864}, {"chunk", 0}, {"wait", "chosen"}});
    staged.clock = Clock::host;
    staged.process_medians = {{1, 1.2061e-3}, {2, 1.2061e-3}};
    staged.flags = {"sw_power_cap", "link_below_maximum"};
    auto best = row("copy/device_to_device/best", {{"bytes", 67108864}, {"cache", "resident"}});
    best.peak = {4.917e12, "2 x 3201 MHz x 6144 bits, reported by the driver", std::nullopt};
    best.flags = {"chosen (unrolled hint=plain in_flight=4, a.jsonl)"};
    auto bulk = with(best, 1.1e-3, Range{1.09e-3, 1.11e-3});
    bulk.benchmark = "copy/device_to_device/tma_bulk";
    bulk.parameters["tile_bytes"] = 8192;
    bulk.flags = {};
    auto wrong = row("memory/triad", {{"bytes", 67108864}});
    wrong.status = Status::wrong;
    wrong.because = "byte 17 is 0xc3 where 0x5a was expected";
    auto skipped = row("copy/device_to_device/peer", {{"bytes", 4096}});
    skipped.status = Status::skipped;
    skipped.because = "needs 2 GPUs; found 1";
    auto first_byte = row("start/first_byte", {{"loading", "LAZY"}});
    first_byte.bytes_per_second_one_way = first_byte.bytes_per_second_touched = first_byte.percent_of_peak = {};
    first_byte.bytes_one_way = 0;
    first_byte.peak = {};
    rows.insert(rows.end(), {staged, best, bulk, wrong, skipped, first_byte});
    const PathFit fit{.benchmark = "copy/host_to_device/pinned",
                      .device = Device::real,
                      .gpu = "GPU-1",
                      .sizes = 3,
                      .t0_seconds = 2e-6,
                      .bytes_per_second = 63e9,
                      .half_bandwidth_bytes = 126000,
                      .residual = 0.001};
    return {rows, {fit}, {}};
}

TEST(BenchTable, OperationsHaveTheirOwnUnit) {
    auto atomics = row("atomics/add", {{"type", "int32"}});
    atomics.bytes_one_way = atomics.bytes_touched = 0;
    atomics.bytes_per_second_one_way = atomics.bytes_per_second_touched = atomics.percent_of_peak = std::nullopt;
    atomics.peak = {};
    EXPECT_EQ(table({atomics}).find("Gop/s"), std::string::npos);
    atomics.items = 1'000'000;
    atomics.items_per_second = 1e6 / *atomics.median_seconds;
    const auto text = table({atomics});
    EXPECT_NE(text.find("0.829 0.827..0.830   Gop/s      - 1.206 ms"), std::string::npos) << text;
    EXPECT_NE(text.find("Gop/s: the first column is 10^9 operations a second"), std::string::npos) << text;
    expect_eighty_columns(text);
}

TEST(BenchTable, CyclesStandBesideTheTime) {
    auto chase = row("latency/device", {{"bytes", 65536}});
    chase.bytes_one_way = chase.bytes_touched = 0;
    chase.bytes_per_second_one_way = chase.bytes_per_second_touched = chase.percent_of_peak = std::nullopt;
    chase.peak = {};
    EXPECT_EQ(table({chase}).find(" cy"), std::string::npos);
    for (const auto& [cycles, text] :
         {std::pair(33.14, "1.208 33.1 cy "), {612.4, "1.208  612 cy "}, {12500, "1.208 12500 cy "}}) {
        chase.cycles = cycles;
        const auto found = table({chase});
        EXPECT_NE(found.find(text), std::string::npos) << found;
        EXPECT_NE(found.find("cy: the median in cycles of the SM clock"), std::string::npos) << found;
        expect_eighty_columns(found);
    }
}

TEST(BenchTable, MeanAndSlowestRankStandBelowTheirRow) {
    auto sum = row("collectives/all_reduce", {{"bytes", 4096}});
    EXPECT_EQ(table({sum}).find("slowest"), std::string::npos);
    sum.ranks = RankTimes{.of = 8, .mean = 21.5e-6, .slowest = 23.25e-6};
    EXPECT_NE(table({sum}).find("\n    of 8 GPUs: mean 21.50 us, slowest 23.25 us\n"), std::string::npos)
        << table({sum});
}

TEST(BenchTable, TailStandsBelowItsRow) {
    auto call = row("calls/launch", {{"what", "submit"}});
    call.tail = SingleTimes{.of = 6000, .p50 = 2e-6, .p99 = 3.1e-6, .largest = 45.2e-6};
    const auto text = table({call});
    EXPECT_NE(text.find("\n    6000 timed one by one: p99 3.100 us, largest 45.20 us\n"), std::string::npos) << text;
    call.tail->p99.reset();
    EXPECT_NE(table({call}).find("6000 timed one by one: largest 45.20 us\n"), std::string::npos);
    call.tail->largest = call.tail->p50;
    EXPECT_EQ(table({call}).find("one by one"), std::string::npos) << "a virtual clock without noise has no tail";
}

TEST(BenchTable, LooksLikeItsGoldens) {
    expect_goldens("bench_table", [](const Paper& paper) { return bench_table(measured_example(), paper); });
}

TEST(BenchTable, PutsSizeBandwidthAndIntervalSideBySide) {
    auto one = row("copy/host_to_device/pinned", {{"bytes", 67108864}});
    one.flags = {"sw_power_cap", "link_below_maximum"};
    const auto text = table({one});
    EXPECT_NE(text.find("  pinned         64 MiB   55.63 55.53..55.70   111.3 88.3 A 1.206 ms 12  0.8 ab\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  a  the GPU was at its power limit at times, which may have held its clock down\n"
                        "  b  the PCIe link ran below its maximum generation or width\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("peaks\n  A  63.02 GB/s of payload: PCIe 5.0 x16"), 0U) << text;
    expect_eighty_columns(text);
}

TEST(BenchTable, NamesEachPeakOnce) {
    auto other = row("copy/device_to_host/pinned", {{"bytes", 4}});
    const auto text = table({row("copy/host_to_device/pinned", {{"bytes", 4}}), other});
    const auto peak = text.find("63.02 GB/s of payload");
    ASSERT_NE(peak, std::string::npos);
    EXPECT_EQ(text.find("63.02 GB/s of payload", peak + 1), std::string::npos) << text;
}

TEST(BenchTable, CallsEqualTimesExactAndNearlyEqualOnesAlmost) {
    auto one = row("a", {{"bytes", 67108864}});
    one.process_medians = {{1, 1.2061e-3}, {2, 1.2061e-3}, {3, 1.2061e-3}};
    one.interval.reset();
    EXPECT_NE(table({one}).find("        exact"), std::string::npos) << table({one});
    one.process_medians[1].seconds *= 1 + 2e-11;
    one.interval = Range{1.2061e-3, one.process_medians[1].seconds};
    EXPECT_NE(table({one}).find("        exact"), std::string::npos) << "rounding: " << table({one});
    one.process_medians[1].seconds = 1.20611e-3;
    one.interval = Range{1.2061e-3, 1.20611e-3};
    EXPECT_EQ(table({one}).find(" exact "), std::string::npos) << table({one});
    EXPECT_NE(table({one}).find("+-0.0004 %"), std::string::npos) << table({one});
}

TEST(BenchTable, ShowsUnknownNumbersAsDash) {
    auto one = row("allocate/page_lock", {{"bytes", 4}});
    one.interval.reset();
    one.detectable.reset();
    one.percent_of_peak.reset();
    one.peak = {};
    const auto text = table({one});
    EXPECT_NE(text.find("  55.63            -   111.3      - 1.206 ms 12    -\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("peaks"), std::string::npos);
}

TEST(BenchTable, ShowsIntervalOfTimeIfNothingIsMoved) {
    auto one = row("start/first_byte", {{"loading", "LAZY"}});
    one.bytes_one_way = 0;
    one.bytes_per_second_one_way.reset();
    const auto text = table({one});
    EXPECT_NE(text.find("start/  device clock\n  first_byte loading=LAZY\n"), std::string::npos) << text;
    EXPECT_NE(text.find(" 1.205..1.208 "), std::string::npos) << text;
}

TEST(BenchTable, SortsRowsBySizeAndPutsSharedParametersInHeading) {
    const auto text = table({row("x/b", {{"bytes", 1048576}, {"streams", 2}}), row("x/a", {{"bytes", 4}}),
                             row("x/b", {{"bytes", 4096}, {"streams", 2}})});
    EXPECT_LT(text.find("\n  a "), text.find("\n  b "));
    EXPECT_LT(text.find("4 KiB"), text.find("1 MiB"));
    EXPECT_NE(text.find("x/  device clock; b: streams=2\n"), std::string::npos) << text;
}

TEST(BenchTable, GivesEachPathALineIfParametersDoNotFit) {
    std::vector<RowSummary> rows;
    for (const auto* from : {"double", "float8_e4m3"})
        for (const auto bytes : {4096, 1048576})
            rows.push_back(row("convert/kernel", {{"bytes", bytes}, {"from", from}, {"to", "bfloat16"}}));
    const auto text = table(rows);
    EXPECT_NE(text.find("convert/  device clock; to=bfloat16\n  kernel from=double\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  kernel from=float8_e4m3\n"), std::string::npos) << text;
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
    EXPECT_NE(text.find("\nskipped: needs 2 GPUs; found 1: 2 rows of two\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("16 B"), std::string::npos) << "a reason shared by all rows is printed once";
    expect_eighty_columns(text);
}

TEST(BenchTable, HasNoHeadingWithoutRows) {
    auto skipped = row("two", {{"bytes", 4}});
    skipped.status = Status::skipped;
    skipped.because = "needs 2 GPUs; found 1";
    EXPECT_EQ(table({skipped}), "\nskipped: needs 2 GPUs; found 1: 1 row of two\n");
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
    const auto sentence = text.find("    start-up 2.100 us, then 55.60 GB/s, half of it at 114 KiB; off by 3.1 %\n");
    EXPECT_NE(sentence, std::string::npos) << text;
    EXPECT_EQ(text.find("start-up", sentence + 6), std::string::npos) << "the fit of another GPU does not belong here";
}

TEST(BenchTable, SaysWhatWasChosenAndWhatWasFaster) {
    auto best = row("copy/best", {{"bytes", 67108864}, {"cache", "resident"}});
    best.flags = {"chosen (unrolled in_flight=4, a.jsonl)"};
    auto slower = with(best, 1.3e-3, Range{1.29e-3, 1.31e-3});
    slower.benchmark = "copy/engine";
    slower.flags = {};
    const auto words = [&](const RowSummary& other) { return faster_words({&best}, {best, other}); };
    EXPECT_EQ(chosen_words({&best}), "64 MiB by unrolled in_flight=4");
    EXPECT_EQ(faster_words({&best}, {best}), "") << "there is nothing to compare it with";
    EXPECT_EQ(words(slower), "nothing measured here was faster");
    auto faster = with(slower, 1.1e-3, Range{1.09e-3, 1.11e-3});
    EXPECT_EQ(words(faster), "faster: engine by 8.8 % at 64 MiB");
    auto cold = faster;
    cold.parameters["cache"] = "cold";
    EXPECT_EQ(words(cold), "") << "it does not do the same";
    EXPECT_EQ(words(with(slower, 1.2e-3, Range{1.1e-3, 1.3e-3})), "nothing measured here was faster");
    EXPECT_EQ(table({best, faster}).find("\n  a  the variant that was chosen"), std::string::npos)
        << "it is said below the row";
}

TEST(BenchTable, NamesGpusIfThereAreSeveral) {
    auto other = row("a", {{"bytes", 4}});
    other.gpu = "GPU-70c0da00-0000-4000-8000-000000000002";
    const auto text = table({row("a", {{"bytes", 4}}), other});
    EXPECT_NE(text.find("on GPU-1"), std::string::npos) << text;
    EXPECT_NE(text.find("on GPU-70c0da00-0000-4000-8000-000000000002"), std::string::npos) << text;
    expect_eighty_columns(text);
}

TEST(BenchTable, LimitsWhatTwoUnlikeProcessesCouldDetect) {
    auto one = row("x/b", {{"bytes", 4}});
    one.detectable = 9.994;
    EXPECT_NE(table({one}).find(" 999\n"), std::string::npos) << table({one});
    one.detectable = 1e40;
    EXPECT_NE(table({one}).find(" >999\n"), std::string::npos) << table({one});
}

TEST(BenchTable, SaysWhatIsTouchedByCollectives) {
    const auto says = [](const std::string& benchmark) {
        auto text = table({row(benchmark, {{"bytes", 4}})});
        std::ranges::replace(text, '\n', ' ');
        return text.find("of collectives the bus rate") != std::string::npos;
    };
    EXPECT_FALSE(says("x/b"));
    EXPECT_TRUE(says("collectives/broadcast"));
    EXPECT_TRUE(says("busy/all_reduce"));
}

TEST(BenchTable, MarksWhyMeasuringStopped) {
    auto one = row("x/b", {{"bytes", 4}});
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
