// tocuda, Apache-2.0.
// The probe's report is read back from whole, repeated and damaged text, and fills the run line.
#include "machine/probe_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/causes_test.hpp"

namespace tocuda {
namespace {

ProbeReport whole() {
    ProbeReport report{.doing = "asking NVML about the GPUs",
                       .library = "/usr/lib/libcuda.so.1",
                       .init = 0,
                       .version = 13000,
                       .devices = 2,
                       .nvml_library = "/usr/lib/libnvidia-ml.so.1",
                       .nvml_driver = "580.95.05",
                       .nvml_devices = 8,
                       .confidential = false,
                       .gsp_firmware = "580.95.05",
                       .pageable_access = "hmm"};
    report.gpus = {Gpu{.index = 0,
                       .uuid = "GPU-00112233-4455-6677-8899-aabbccddeeff",
                       .name = "NVIDIA H200",
                       .vbios = "96.00.99",
                       .compute_capability = "9.0",
                       .memory_bytes = 150'000'000'000,
                       .power_limit_w = 700.25,
                       .ecc = true,
                       .mig = false,
                       .persistence = true,
                       .pcie = {5, 16, 5, 16},
                       .bar1_bytes = 274'877'906'944},
                   Gpu{.index = 1, .name = "Other", .pcie = {.width = 8}}};
    report.unavailable = {{"gpus[1].vbios", "nvmlDeviceGetVbiosVersion answered 3 (Not Supported)"}};
    report.finished = true;
    return report;
}

TEST(ProbeReport, IsReadBack) { EXPECT_EQ(probe_report_of(text_of(whole())), whole()); }

TEST(ProbeReport, EmptyReportIsReadBack) { EXPECT_EQ(probe_report_of(text_of(ProbeReport{})), ProbeReport{}); }

TEST(ProbeReport, LaterReportsAddToEarlierOnes) {
    ProbeReport early{.doing = "cuInit", .library = "/usr/lib/libcuda.so.1"};
    EXPECT_EQ(probe_report_of(text_of(early) + text_of(whole())), whole());
}

TEST(ProbeReport, NewlinesInValuesDoNotBreakLines) {
    ProbeReport report{.finished = true};
    report.gpus = {Gpu{.index = 0, .name = "one\ndone\ntwo"}};
    const auto read = probe_report_of(text_of(report));
    EXPECT_EQ(read.gpus.at(0).name, "one done two");
    EXPECT_EQ(read.unavailable, report.unavailable);
}

TEST(ProbeReport, CutOffReportIsNotFinished) {
    const auto text = text_of(whole());
    for (std::size_t length = 0; length + 5 < text.size(); ++length)
        EXPECT_FALSE(probe_report_of(text.substr(0, length)).finished) << length;
}

TEST(ProbeReport, ReportsDamagedLines) {
    for (const char* line : {"init x", "gpu", "gpu -1 seen", "gpu 5000 seen", "gpu 0 colour blue", "gpu 0 ecc yes",
                             "gpu 0 power_limit_w nan", "version 13000 ", "\xff\xfe", "unavailable", "done\ndone"}) {
        const auto report = probe_report_of(std::string("probe 1\n") + line + "\n");
        EXPECT_TRUE(std::ranges::any_of(report.unavailable, [](const auto& missing) {
            return missing.field == "probe";
        })) << line;
    }
}

TEST(ProbeReport, RefusesAnotherVersion) {
    EXPECT_EQ(probe_report_of("probe 2\ninit 0\n").unavailable.at(0).cause,
              "the probe's report does not start with 'probe 1'");
}

TEST(ProbeReport, IsUsableOnlyWithAGpu) {
    EXPECT_TRUE(whole().usable());
    auto none = whole();
    none.devices = 0;
    EXPECT_FALSE(none.usable());
    auto refused = whole();
    refused.init = 999;
    EXPECT_FALSE(refused.usable());
    auto hung = whole();
    hung.finished = false;
    EXPECT_FALSE(hung.usable());
}

TEST(CudaVersion, IsMajorAndMinor) {
    EXPECT_EQ(cuda_version_text(13000), "13.0");
    EXPECT_EQ(cuda_version_text(12080), "12.8");
}

TEST(AddProbe, FillsTheRunLine) {
    RunLine line;
    line.unavailable = {{"driver.kernel_module", "no NVIDIA kernel module is loaded"}};
    add_probe(line, whole(), "");
    EXPECT_EQ(line.driver.cuda, "13.0");
    EXPECT_EQ(line.driver.kernel_module, "580.95.05");
    EXPECT_EQ(line.gpus, whole().gpus);
    EXPECT_EQ(line.driver.gsp_firmware, "580.95.05");
    EXPECT_EQ(line.driver.pageable_access, "hmm");
    EXPECT_EQ(line.machine.confidential_computing, false);
    EXPECT_EQ(line.unavailable, whole().unavailable);
}

TEST(AddProbe, ReportsWhereAProbeEnded) {
    RunLine line;
    add_probe(line, ProbeReport{.doing = "cuInit", .version = 13000}, "did not answer within 10 s");
    EXPECT_EQ(line.driver.cuda, "13.0");
    EXPECT_EQ(cause_of(line, "gpus"), "the probe of the driver did not answer within 10 s while cuInit");
}

TEST(AddProbe, KeepsNvmlsOwnFieldsOutOfTheRunLine) {
    RunLine line;
    add_probe(line, ProbeReport{.unavailable = {{"nvml", "no NVML"}, {"gpus", "no driver"}}, .finished = true}, "");
    EXPECT_EQ(cause_of(line, "nvml"), "");
    EXPECT_EQ(cause_of(line, "gpus"), "no driver");
    EXPECT_EQ(cause_of(line, "driver.cuda"), "the driver reports no version");
    for (const char* field : {"driver.gsp_firmware", "driver.pageable_access", "machine.confidential_computing"})
        EXPECT_EQ(cause_of(line, field), "no GPU could be asked") << field;
}

TEST(UsedGpus, AreFoundByTheirAddressesWhateverTheirCase) {
    ProbeReport report;
    report.cuda_gpus = {{.index = 0, .pci = "00000000:3b:00.0"}, {.index = 1, .pci = "00000000:af:00.0"}};
    report.nvml_gpus = {{.index = 0, .pci = "00000000:AF:00.0", .processes = 2},
                        {.index = 1, .pci = "00000000:3B:00.0", .processes = 0}};
    EXPECT_EQ(used_gpus(report), std::vector{1});
    report.nvml_gpus.clear();
    EXPECT_TRUE(used_gpus(report).empty());
}

}  // namespace
}  // namespace tocuda
