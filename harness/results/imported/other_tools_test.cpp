// tocuda, Apache-2.0.
// Numbers of nccl-tests, nvbench, Google Benchmark and BabelStream become rows with the conventions of each. The texts
// are made up in the shape that each writes; the numbers are published, and named above each.
#include <gtest/gtest.h>

#include "imported/made_up_text_test.hpp"

namespace tocuda {
namespace {

// all_reduce_perf with 16 H100 on two hosts (lessizzmore/create-a3mega-ztan-fork, ztan-NCCL-test-result), as -J writes.
const std::string all_reduce = R"json({"version":3,"start_time":"2026-07-10 09:00:00",
"args":["/opt/src/nccl-tests/build/all_reduce_perf","-b","8"],"env":["A_SECRET=1"],"nccl_version":22703,
"config":{"nthreads":1,"ngpus":1,"iterations":20,"devices":[
 {"rank":0,"group":0,"pid":6899,"hostname":"ztan-235z","device":0,
  "device_hex":"0000:04:00","device_info":"NVIDIA H100 80GB HBM3"},
 {"rank":1,"group":0,"pid":6733,"hostname":"ztan-gq73","device":0,
  "device_hex":"0000:04:00","device_info":"NVIDIA H100 80GB HBM3"}]},
"results":[
 {"size":8,"count":2,"type":"float","redop":"sum","root":"    -1","out_of_place":{"time":135.8,"alg_bw":0.000059,
  "bus_bw":0.00011,"nwrong":0.0},"in_place":{"time":123.5,"alg_bw":0.000065,"bus_bw":0.00012,"nwrong":3.0}},
 {"size":8589934592,"count":2147483648,"type":"float","redop":"sum","root":"    -1","out_of_place":{"time":47535,
  "alg_bw":180.71,"bus_bw":338.82,"nwrong":0.0},"out_of_place_per_iter":{"skipped_iterations":1,"p50_us":47500.0,
  "times_us":[60000.0,47400.0,47500.0,47600.0]},"in_place":null}],
"out_of_bounds":{"count":3,"okay":"false"},"errors":[],"end_time":"2026-07-10 09:01:00"})json";

TEST(NcclTests, ATimeIsThatOfItsSize) {
    const auto file = taken(all_reduce);
    const auto rows = rows_of(file, "nccl-tests/all_reduce");
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0].samples.bytes_one_way, 8) << "six digits of its bandwidth say nothing";
    const auto& large = rows[2].samples;
    EXPECT_NEAR(large.seconds.at(0), 47535e-6, 1e-12);
    EXPECT_EQ(large.bytes_one_way, 8589934592);
    EXPECT_EQ(large.clock, Clock::host);
    EXPECT_EQ(large.parameters,
              (Parameters{{"bytes", 8589934592}, {"type", "float"}, {"ranks", 2}, {"redop", "sum"}, {"place", "out"}}));
    EXPECT_EQ(rows[2].imported, (Printed{338.82, "GB/s (bus)", "mean of its iterations"}));
}

TEST(NcclTests, BytesTouchedAreWhatTheBusBandwidthCounts) {
    EXPECT_EQ(rows_of(taken(all_reduce), "nccl-tests/all_reduce").at(2).samples.bytes_touched, 0)
        << "338.82 is not 180.71 GB/s among two ranks";
    const auto sixteen = changed(all_reduce, R"("ngpus":1)", R"("ngpus":8)");
    EXPECT_EQ(rows_of(taken(sixteen), "nccl-tests/all_reduce").at(2).samples.bytes_touched, 8589934592 * 15 / 8);
}

TEST(NcclTests, EachIterationIsASampleButThoseThatAreSkipped) {
    const auto each = rows_of(taken(all_reduce), "nccl-tests/all_reduce").at(3);
    EXPECT_EQ(each.samples.parameters.at("timed"), Value("each"));
    EXPECT_EQ(each.samples.clock, Clock::device);
    ASSERT_EQ(each.samples.seconds.size(), 3U);
    EXPECT_DOUBLE_EQ(each.samples.seconds[0], 47400e-6);
}

TEST(NcclTests, WrongElementsAreAWrongResult) {
    const auto wrong = rows_of(taken(all_reduce), "nccl-tests/all_reduce").at(1);
    EXPECT_EQ(wrong.samples.status, Status::wrong);
    EXPECT_EQ(wrong.samples.check, "3 elements are wrong");
    EXPECT_EQ(wrong.samples.clock, Clock::host) << "as rows with a value, with which it is compared";
    EXPECT_EQ(rows_of(taken(all_reduce), "nccl-tests/all_reduce").at(4).samples.check, "it was not measured");
}

TEST(NcclTests, SeveralHostsAreNone) {
    const auto file = taken(all_reduce);
    EXPECT_FALSE(file.run.machine.host);
    EXPECT_EQ(file.run.time, "2026-07-10T09:00:00Z");
    EXPECT_EQ(lacks(file.run, "time"), "the file does not say its zone: taken for UTC");
    EXPECT_EQ(section_of(file).find("A_SECRET"), std::string::npos);
}

TEST(NcclTests, ATimeWithoutAZoneMayBeOfAnyZoneButNoOtherTime) {
    EXPECT_EQ(taken(all_reduce, {.time = "2026-07-10T02:00:00Z"}).run.time, "2026-07-10T02:00:00Z");
    for (const auto* time : {"2026-07-12T09:00:00Z", "2026-07-10T08:59:00Z"})
        EXPECT_EQ(refusal(all_reduce, {.time = time}),
                  std::string("a.json: says 2026-07-10 09:00:00, which --time contradicts in any zone: ") + time);
}

TEST(NcclTests, OfAFileThatWasCutOffTheWholeResultsAreKept) {
    const auto file = taken(all_reduce.substr(0, all_reduce.find(R"("bus_bw":338.82)")));
    EXPECT_TRUE(file.cut_off);
    EXPECT_EQ(rows_of(file, "nccl-tests/all_reduce").at(0).samples.status, Status::ok);
    const auto rest = row_of(file, "nccl-tests/rest");
    EXPECT_EQ(rest.samples.status, Status::failed);
    EXPECT_TRUE(rest.samples.check.starts_with("the file was cut off at byte ")) << rest.samples.check;
    EXPECT_NE(section_of(file).find(R"("status":"interrupted")"), std::string::npos);
}

TEST(NcclTests, ABandwidthThatIsNotItsSizeInItsTimeIsNoValue) {
    const auto file = taken(changed(all_reduce, "180.71", "361.42"));
    EXPECT_EQ(rows_of(file, "nccl-tests/all_reduce").at(2).samples.status, Status::invalid);
}

// Of nvbench's python/scripts/test_ref.json: copy_sweep_grid_shape on a Quadro GV100.
const std::string copy_sweep = R"json({"meta":{"argv":["bench"],"version":{"json":{"major":1,"minor":0,"patch":0,
"string":"1.0.0"},"nvbench":{"major":0,"minor":1,"patch":0,"string":"0.1.0"}}},
"devices":[{"id":0,"name":"Quadro GV100","sm_version":700,"global_memory_size":34086060032}],
"benchmarks":[{"name":"copy_sweep_grid_shape","index":0,"states":[
 {"name":"Device=0","device":0,"axis_values":[{"name":"BlockSize","type":"int64","value":"64"},
  {"name":"T","type":"string","value":"U8"}],"summaries":[
  {"tag":"nv/cold/sample_size","data":[{"name":"value","type":"int64","value":"78"}]},
  {"tag":"nv/cold/time/gpu/mean","data":[{"name":"value","type":"float64","value":"0.006485689823444072"}]},
  {"tag":"nv/cold/bw/item_rate","data":[{"name":"value","type":"float64","value":"10347220700.783287"}]},
  {"tag":"nv/cold/bw/global/bytes_per_second","data":[{"name":"value","type":"float64","value":"82777765606.2663"}]},
  {"tag":"nv/batch/time/gpu/mean","data":[{"name":"value","type":"float64","value":"0.006479606722608024"}]}],
  "is_skipped":false},
 {"name":"Device=0","device":0,"axis_values":null,"summaries":null,"is_skipped":true,
  "skip_reason":"Not a conversion: InputType == OutputType."}]}]})json";

TEST(Nvbench, AMeanIsOneSampleAndItsBytesAreTouched) {
    const auto file = taken(copy_sweep);
    const auto rows = rows_of(file, "nvbench/copy_sweep_grid_shape");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].samples.parameters, (Parameters{{"BlockSize", 64}, {"T", "U8"}, {"timed", "cold"}}));
    EXPECT_EQ(rows[0].samples.seconds, std::vector{0.006485689823444072});
    EXPECT_EQ(rows[0].samples.bytes_touched, 536870912) << "64 MiB of 4 bytes, read and written";
    EXPECT_EQ(rows[0].samples.batch, 78);
    EXPECT_EQ(rows[1].samples.parameters.at("timed"), Value("batch"));
    EXPECT_EQ(rows[2].samples.status, Status::skipped);
    EXPECT_EQ(rows[2].samples.check, "Not a conversion: InputType == OutputType.");
    EXPECT_EQ(file.run.gpus.at(0).compute_capability, "7.0");
    EXPECT_FALSE(file.run.driver.kernel_module);
    EXPECT_EQ(lacks(file.run, "driver.kernel_module"), "the file does not say it; --driver adds it");
}

TEST(Nvbench, AMeanThatIsNoTimeIsARowThatSaysSo) {
    for (const auto* mean : {"nan", "inf", "0", "-0.5"}) {
        const auto rows =
            rows_of(taken(changed(copy_sweep, "0.006485689823444072", mean)), "nvbench/copy_sweep_grid_shape");
        ASSERT_EQ(rows.size(), 3U) << mean;
        EXPECT_EQ(rows[0].samples.status, Status::invalid) << mean;
        EXPECT_EQ(rows[0].samples.check, "its value is no number above 0");
        EXPECT_EQ(rows[0].samples.parameters.at("timed"), Value("cold"));
    }
}

// The example of cras_bench in the tests of ChromiumOS (crasbench): 2165.05 ns; the repetitions are made up.
std::string repetitions(const std::string& more) {
    return R"json({"context":{"date":"2026-03-01T12:00:00+01:00","host_name":"node17","executable":"./cras_bench",
"library_version":"v1.9.1","json_schema_version":1},"benchmarks":[)json" +
           more + "]}";
}

TEST(GoogleBenchmark, RepetitionsAreSamplesOfOneProcess) {
    const auto file = taken(repetitions(R"json(
 {"name":"BM_Dsp/Eq2/256","run_name":"BM_Dsp/Eq2/256","run_type":"iteration","repetitions":2,"repetition_index":0,
  "threads":1,"iterations":323328,"real_time":2.1650514616736227e+03,"cpu_time":2.1631811411322246e+03,
  "time_unit":"ns","bytes_per_second":2.5e+08},
 {"name":"BM_Dsp/Eq2/256","run_name":"BM_Dsp/Eq2/256","run_type":"iteration","repetitions":2,"repetition_index":1,
  "threads":1,"iterations":323328,"real_time":2.2e+03,"cpu_time":2.1631811411322246e+03,"time_unit":"ns"},
 {"name":"BM_Dsp/Eq2/256_mean","run_name":"BM_Dsp/Eq2/256","run_type":"aggregate","aggregate_name":"mean",
  "real_time":2.18e+03,"cpu_time":2.16e+03,"time_unit":"ns"},
 {"name":"BM_Bad","run_name":"BM_Bad","run_type":"iteration","error_occurred":true,"error_message":"no device"})json"));
    const auto row = row_of(file, "google-benchmark/BM_Dsp/Eq2/256");
    ASSERT_EQ(row.samples.seconds.size(), 2U) << "aggregates say nothing more";
    EXPECT_DOUBLE_EQ(row.samples.seconds[0], 2165.0514616736227e-9);
    EXPECT_EQ(row.samples.bytes_one_way, 541) << "against the CPU's time";
    EXPECT_EQ(row_of(file, "google-benchmark/BM_Bad").samples.check, "no device");
    EXPECT_EQ(file.run.time, "2026-03-01T11:00:00Z");
    EXPECT_EQ(file.run.device, Device::none);
    EXPECT_EQ(taken(repetitions(""), {.gpu = "NVIDIA H200"}).run.device, Device::real);
}

TEST(GoogleBenchmark, RepetitionThatFailedIsAFlagOfTheOthers) {
    const auto file = taken(repetitions(R"json(
 {"name":"BM_A","run_type":"iteration","error_occurred":true,"error_message":"no device"},
 {"name":"BM_A","run_type":"iteration","real_time":1,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_A","run_type":"iteration","real_time":2,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_A","run_type":"iteration","error_occurred":true,"error_message":"out of memory"})json"));
    const auto row = row_of(file, "google-benchmark/BM_A");
    EXPECT_EQ(row.samples.seconds, (std::vector{1e-6, 2e-6}));
    EXPECT_EQ(row.samples.flags, (Flags{"a repetition failed: no device", "a repetition failed: out of memory"}));
}

TEST(GoogleBenchmark, NumbersThatJsonDoesNotHaveAreNoValues) {
    const auto file = taken(repetitions(R"json(
 {"name":"BM_A","run_type":"iteration","real_time":1,"cpu_time":1,"time_unit":"us","rate":Infinity,"NaN":NaN},
 {"name":"BM_B","run_type":"aggregate","real_time":2,"cpu_time":2,"time_unit":"us"})json"));
    EXPECT_EQ(row_of(file, "google-benchmark/BM_A").samples.seconds, std::vector{1e-6});
    EXPECT_EQ(row_of(file, "google-benchmark/BM_B").imported->is, "mean of its repetitions");
    auto cut = repetitions(R"json(
 {"name":"BM_A","run_type":"iteration","real_time":1,"cpu_time":1,"time_unit":"us","rate":nan},
 {"name":"BM_B","run_type":"itera)json");
    cut.resize(cut.size() - 2);
    EXPECT_EQ(row_of(taken(cut), "google-benchmark/BM_A").samples.seconds, std::vector{1e-6}) << "and cut";
}

// Versions 1.0 to 1.4 wrote neither `aggregate_name` nor, at first, `run_type`.
TEST(GoogleBenchmark, NamesTellTheAggregatesOfEarlyVersions) {
    const auto file = taken(repetitions(R"json(
 {"name":"BM_A","real_time":1,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_A","real_time":2,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_A_mean","real_time":1.5,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_A_stddev","real_time":0.7,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_sort_mean","real_time":3,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_B_stddev","run_type":"aggregate","real_time":0.1,"cpu_time":1,"time_unit":"us"},
 {"name":"BM_B_median","run_type":"aggregate","real_time":4,"cpu_time":1,"time_unit":"us"})json"));
    EXPECT_EQ(row_of(file, "google-benchmark/BM_A").samples.seconds, (std::vector{1e-6, 2e-6}));
    EXPECT_EQ(row_of(file, "google-benchmark/BM_sort_mean").samples.seconds, std::vector{3e-6}) << "no aggregate";
    EXPECT_EQ(row_of(file, "google-benchmark/BM_B").samples.seconds, std::vector{4e-6});
    EXPECT_EQ(file.rows.size(), 3U);
}

TEST(GoogleBenchmark, OfAggregatesAloneTheMedianCounts) {
    const auto file = taken(repetitions(R"json(
 {"name":"BM_A_mean","run_name":"BM_A","run_type":"aggregate",
  "aggregate_name":"mean","real_time":3,"cpu_time":3,"time_unit":"us"},
 {"name":"BM_A_median","run_name":"BM_A","run_type":"aggregate",
  "aggregate_name":"median","real_time":2,"cpu_time":2,"time_unit":"us"},
 {"name":"BM_A_stddev","run_name":"BM_A","run_type":"aggregate",
  "aggregate_name":"stddev","real_time":1,"cpu_time":1,"time_unit":"us"})json"));
    ASSERT_EQ(file.rows.size(), 1U);
    EXPECT_DOUBLE_EQ(file.rows[0].samples.seconds.at(0), 2e-6);
    EXPECT_EQ(file.rows[0].imported->is, "median of its repetitions");
}

// BabelStream 5.0, CUDA, H100 NVL: a published run (array of 268.4 MB) whose times are those of its bandwidths.
const std::string h100 =
    "Using CUDA device NVIDIA H100 NVL\nDriver: 12050\n"
    "function,num_times,n_elements,sizeof,max_MB_per_sec,min_runtime,max_runtime,avg_runtime\n"
    "Copy,100,33554432,8,3055593.947,0.000175701,0.00018,0.00018\n"
    "Triad,100,33554432,8,3303793.889,0.000243752,0.00025,0.00024\n";

TEST(Babelstream, RowsOfAFailedValidationAreWrong) {
    const auto file = taken(h100 + "Validation failed on a[]. Average error 1.5\n");
    ASSERT_EQ(file.rows.size(), 2U);
    for (const auto& row : file.rows) {
        EXPECT_EQ(row.samples.status, Status::wrong);
        EXPECT_EQ(row.samples.check, "Validation failed on a[]. Average error 1.5");
    }
}

TEST(Babelstream, TheFastestRunCountsEachArray) {
    const auto file = taken(h100);
    const auto triad = row_of(file, "babelstream/triad");
    EXPECT_EQ(triad.samples.seconds, std::vector{0.000243752});
    EXPECT_EQ(triad.samples.bytes_one_way, 268435456);
    EXPECT_EQ(triad.samples.bytes_touched, 3 * 268435456LL);
    EXPECT_EQ(triad.imported, (Printed{3303793.889, "MB/s", "the fastest of all runs but the first"}));
    EXPECT_EQ(file.run.device, Device::real);
    EXPECT_EQ(file.run.gpus.at(0).name, "NVIDIA H100 NVL");
    EXPECT_EQ(file.run.driver.cuda, "12.5");
}

TEST(Babelstream, TheGpuIsReadFromTheHeaderOfNewerOnes) {
    const auto file =
        taken(changed(h100, "Using CUDA device NVIDIA H100 NVL\nDriver: 12050",
                      "CUDA Driver: 13000\nCUDA Device 0: \"NVIDIA H200\" 132 SMs(9,0) Memory: 3201 MHz"));
    EXPECT_EQ(file.run.device, Device::real);
    EXPECT_EQ(file.run.gpus.at(0).name, "NVIDIA H200");
    EXPECT_EQ(file.run.driver.cuda, "13.0");
}

TEST(Babelstream, ATableOfOtherUnitsOrArraysIsNotTaken) {
    EXPECT_EQ(row_of(taken(changed(h100, "max_MB_per_sec", "max_MiB_per_sec")), "babelstream/copy").samples.check,
              "max_MiB_per_sec does not match 2 arrays x 268.435 MB / min_runtime: is the column's unit right?");
    EXPECT_EQ(refusal(changed(h100, "max_MB_per_sec", "speed")), "a.json:3: the eight columns of --csv are expected");
    EXPECT_EQ(refusal(changed(h100, "Triad,100,", "Triad,")), "a.json:5: 8 fields are expected, not 7");
    EXPECT_EQ(refusal(changed(h100, "Triad,100,", "Triad,x,")),
              "a.json:5: num_times: a number above zero is expected, not 'x'");
    EXPECT_EQ(refusal(changed(h100, "0.000175701", "")),
              "a.json:4: min_runtime: a number above zero is expected, not ''");
    EXPECT_EQ(refusal(changed(h100, "Triad", "Tirade")), "a.json:5: a kernel is expected, not 'Tirade'");
}

TEST(Babelstream, ALastLineThatWasCutOffIsARow) {
    const auto file = taken(h100.substr(0, h100.size() - 20));
    EXPECT_TRUE(file.cut_off);
    EXPECT_EQ(row_of(file, "babelstream/rest").samples.check, "the file was cut off in line 5");
}

TEST(Imported, FilesOfAHostADayAndADriverAreOneStart) {
    const auto start = [](const Told& told) { return taken(h100, told).run.session; };
    const Told first{.driver = "580.95.05", .host = "node17", .time = "2026-11-20T10:00:00Z"};
    auto other = first;
    other.time = "2026-11-20T23:00:00Z";
    EXPECT_EQ(start(first), start(other));
    other.time = "2026-11-21T10:00:00Z";
    EXPECT_NE(start(first), start(other));
    other = first;
    other.driver = "590.1";
    EXPECT_NE(start(first), start(other));
    other = first;
    other.host = "node18";
    EXPECT_NE(start(first), start(other));
}

TEST(Imported, AFileImportedTwiceIsTheSameRun) {
    EXPECT_EQ(section_of(taken(h100)), section_of(taken(h100)));
    EXPECT_NE(taken(h100).run.run, taken(h100 + "\n").run.run);
}

TEST(Imported, RowsThatAFileHasTwiceHaveTheSamplesOfBoth) {
    const auto twice = h100 + "Copy,100,33554432,8,3050000.0,0.000176023,0.00018,0.00018\n";
    const auto rows = rows_of(taken(twice), "babelstream/copy");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].samples.seconds, (std::vector{0.000175701, 0.000176023}));
}

TEST(Imported, RefusesWhatIsNotOfTheseTools) {
    EXPECT_EQ(refusal("\xEF\xBB\xBF{}\n{}\n"), "a.json:2: another document begins: one is expected in each file");
    EXPECT_EQ(refusal("\xFF\xFE{"), "a.json: is in UTF-16; UTF-8 is expected");
    EXPECT_EQ(refusal("{}\n{}\n"), "a.json:2: another document begins: one is expected in each file");
    EXPECT_TRUE(refusal("").starts_with("a.json: JSON of nvbandwidth, nccl-tests"));
    EXPECT_TRUE(refusal("{}").starts_with("a.json: JSON of nvbandwidth"));
    EXPECT_TRUE(refusal(R"({"nvbandwidth":7})").starts_with("a.json: nvbandwidth: an object is expected"));
    EXPECT_EQ(refusal(h100, {.gpu = "NVIDIA H200"}),
              "a.json: says NVIDIA H100 NVL, which --gpu contradicts: NVIDIA H200");
    EXPECT_EQ(refusal(h100, {.time = "yesterday"}), "a.json: --time: 2026-11-21T10:00:00Z is expected, not yesterday");
    EXPECT_EQ(refusal(h100, {.time = "2126-11-21T10:00:00Z"}), "a.json: --time: 2126-11-21T10:00:00Z is in the future");
    EXPECT_EQ(refusal(h100, {.time = "2026-11-21T10:00:00+-1:00"}),
              "a.json: --time: 2026-11-21T10:00:00Z is expected, not 2026-11-21T10:00:00+-1:00");
}

TEST(Imported, EveryCutOfAFileIsReadOrRefused) {
    for (const auto* text : {&all_reduce, &copy_sweep, &h100})
        for (std::size_t size = 0; size < text->size(); size += 7) {
            const auto file = import_text(text->substr(0, size), "a.json", {}, importer());
            if (file) EXPECT_TRUE(file->cut_off || file->rows.size() <= 6) << size;
            else EXPECT_TRUE(file.error().what.starts_with("a.json")) << file.error().what;
        }
}

}  // namespace
}  // namespace tocuda
