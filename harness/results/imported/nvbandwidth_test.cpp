// tocuda, Apache-2.0.
// Numbers of nvbandwidth become rows with its conventions. The numbers are those of NVIDIA/nvbandwidth#50 (0.8, six RTX
// A6000, driver 580.95.05; here the first two) in the shape of json_output.cpp.
#include <gtest/gtest.h>

#include "imported/made_up_text_test.hpp"
#include "record/digest.hpp"

namespace tocuda {
namespace {

const std::string two_gpus = R"json({"nvbandwidth": {
  "CUDA Runtime Version": 13000, "Driver Version": "580.95.05", "git_version": "v0.8", "version": "v0.8",
  "GPU Device list": ["0: NVIDIA RTX A6000 (00000000:01:00): (node17)",
                      "1: NVIDIA RTX A6000 (00000000:25:00): (node17)"],
  "testcases": [
    {"name": "host_to_device_memcpy_ce", "status": "Passed",
     "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
     "bandwidth_matrix": [["26.34", "N/A"]], "sum": 26.34},
    {"name": "device_to_device_memcpy_read_ce", "status": "Passed",
     "bandwidth_description": "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)",
     "bandwidth_matrix": [["N/A", "26.34"], ["26.35", "N/A"]], "sum": 52.69},
    {"name": "device_to_device_bidirectional_memcpy_read_ce", "status": "Passed",
     "bandwidth_matrix": [["N/A", "22.0"], ["22.1", "N/A"], ["N/A", "22.2"], ["22.3", "N/A"],
                          ["N/A", "44.2"], ["44.4", "N/A"]], "sum": 88.6},
    {"name": "host_device_latency_sm", "status": "Passed", "bandwidth_matrix": [["649.879", "650.1"]], "sum": 1300},
    {"name": "device_to_device_latency_sm", "status": "Waived"},
    {"name": "all_to_one_read_ce", "status": "Error", "error": "out of memory"},
    {"name": "tomorrows_copy_ce", "status": "Passed", "bandwidth_matrix": [["1"]], "sum": 1}
  ]}})json";

TEST(Nvbandwidth, ACellIsTheTimeOfTenToTheNinthBytes) {
    const auto file = taken(two_gpus);
    const auto row = row_of(file, "nvbandwidth/host_to_device_memcpy_ce");
    EXPECT_EQ(row.samples.bytes_one_way, 1'000'000'000);
    ASSERT_EQ(row.samples.seconds.size(), 1U);
    EXPECT_NEAR(1e9 / row.samples.seconds[0], 26.34e9, 1);
    EXPECT_EQ(row.samples.gpu, "node17 00000000:01:00");
    EXPECT_EQ(row.imported, (Printed{26.34, "GB/s", "median of its trials (with --useMean their mean)"}));
    EXPECT_EQ(row.id, row_id("nvbandwidth/host_to_device_memcpy_ce", {}, 1));
}

TEST(Nvbandwidth, AMatrixOfPairsIsARowForEachPair) {
    const auto file = taken(two_gpus);
    const auto rows = rows_of(file, "nvbandwidth/device_to_device_memcpy_read_ce");
    ASSERT_EQ(rows.size(), 2U) << "a GPU is not its own peer";
    EXPECT_EQ(rows[1].samples.gpu, "node17 00000000:25:00");
    EXPECT_EQ(rows[1].samples.peer, "node17 00000000:01:00");
    EXPECT_NEAR(1 / rows[1].samples.seconds[0], 26.35, 1e-9);
}

TEST(Nvbandwidth, ThreeMatricesAreTheTwoDirectionsAndBoth) {
    const auto rows = rows_of(taken(two_gpus), "nvbandwidth/device_to_device_bidirectional_memcpy_read_ce");
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[2].samples.parameters.at("direction"), Value("second"));
    EXPECT_NEAR(1 / rows[5].samples.seconds[0], 44.4, 1e-9);
    EXPECT_EQ(rows[5].samples.parameters.at("direction"), Value("both"));
}

TEST(Nvbandwidth, ALatencyHasNoBytes) {
    const auto row = row_of(taken(two_gpus), "nvbandwidth/host_device_latency_sm");
    EXPECT_DOUBLE_EQ(row.samples.seconds.at(0), 649.879e-9);
    EXPECT_EQ(row.samples.bytes_one_way, 0);
}

TEST(Nvbandwidth, WhatHasNoValueIsARowWithItsCause) {
    const auto file = taken(two_gpus);
    const auto cells = rows_of(file, "nvbandwidth/host_to_device_memcpy_ce");
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[1].samples.status, Status::skipped);
    EXPECT_EQ(cells[1].samples.check, "nvbandwidth says N/A");
    EXPECT_EQ(row_of(file, "nvbandwidth/device_to_device_latency_sm").samples.check, "nvbandwidth says Waived");
    const auto failed = row_of(file, "nvbandwidth/all_to_one_read_ce");
    EXPECT_EQ(failed.samples.status, Status::failed);
    EXPECT_EQ(failed.samples.check, "nvbandwidth says Error: out of memory");
    EXPECT_EQ(row_of(file, "nvbandwidth/tomorrows_copy_ce").samples.check, "what this test case counts is not known");
}

TEST(Nvbandwidth, CellsThatAreNotTheirSumHaveNoValue) {
    const auto file = taken(changed(two_gpus, R"("sum": 88.6)", R"("sum": 98.6)"));
    const auto rows = rows_of(file, "nvbandwidth/device_to_device_bidirectional_memcpy_read_ce");
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].samples.status, Status::invalid);
    EXPECT_EQ(rows[0].samples.check, "the cells add up to 88.6, but `sum` is 98.6");
    EXPECT_EQ(rows[0].samples.peer, "node17 00000000:25:00");
    EXPECT_EQ(row_of(file, "nvbandwidth/host_to_device_memcpy_ce").samples.status, Status::ok);
}

TEST(Nvbandwidth, AFileThatIsCutOffBeforeItsVersionKeepsWhatIsWhole) {
    auto late = changed(two_gpus, R"("version": "v0.8")", R"("comment": "")");
    EXPECT_EQ(refusal(late), "a.json: nvbandwidth.version is missing");
    late.resize(late.find("device_to_device_memcpy_read_ce"));
    const auto file = taken(late);
    EXPECT_TRUE(file.cut_off);
    EXPECT_FALSE(file.run.imported->version);
    EXPECT_EQ(row_of(file, "nvbandwidth/host_to_device_memcpy_ce").samples.status, Status::ok);
}

TEST(Nvbandwidth, TheSectionSaysWhatTheFileSays) {
    const auto run = taken(two_gpus).run;
    EXPECT_EQ(run.verb, "import");
    EXPECT_EQ(run.device, Device::real);
    EXPECT_EQ(run.machine.host, "node17");
    EXPECT_EQ(run.driver.kernel_module, "580.95.05");
    EXPECT_EQ(run.cuda.runtime, "13.0");
    ASSERT_EQ(run.gpus.size(), 2U);
    EXPECT_EQ(run.gpus[0].name, "NVIDIA RTX A6000");
    ASSERT_TRUE(run.imported);
    EXPECT_EQ(run.imported->version, "v0.8");
    Digest digest;
    digest.add(two_gpus);
    EXPECT_EQ(run.imported->sha256, digest.hex());
    EXPECT_FALSE(run.protocol) << "it is not ours";
}

TEST(Nvbandwidth, WarningsBesideTheDocumentAreSkipped) {
    EXPECT_EQ(taken("WARNING: a lock {\n" + two_gpus + "\nWARNING: the end }}\n").rows.size(), 15U);
}

TEST(Nvbandwidth, RefusesWithThePlaceAndWhatIsExpected) {
    EXPECT_EQ(refusal(changed(two_gpus, R"("version": "v0.8")", R"("version": "v0.7")")),
              "a.json: nvbandwidth.version: 0.8 to 0.10 is expected, not v0.7");
    EXPECT_EQ(refusal(changed(two_gpus, R"(["26.34", "N/A"])", R"(["26.34", "much"])")),
              "a.json: nvbandwidth.testcases[0].bandwidth_matrix[0][1]: a number or N/A is expected, not 'much'");
    EXPECT_EQ(refusal(changed(two_gpus, R"("name": "device_to_device_memcpy_read_ce", )", "")),
              "a.json: nvbandwidth.testcases[1].name is missing");
    EXPECT_EQ(refusal(changed(two_gpus, "0: NVIDIA RTX A6000 (00000000:01:00): (node17)", "a GPU")),
              "a.json: nvbandwidth.GPU Device list[0]: INDEX: NAME (BUS ADDRESS): (HOST) is expected, not 'a GPU'");
    const auto no_json = refusal(changed(two_gpus, R"("status": "Waived")", R"("status" "Waived")"));
    EXPECT_TRUE(no_json.starts_with("a.json:16: not JSON: ")) << no_json;
}

}  // namespace
}  // namespace tocuda
