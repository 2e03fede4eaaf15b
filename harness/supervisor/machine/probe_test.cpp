// tocuda, Apache-2.0.
// Probes missing, empty and unrelated libraries, and a fake driver with three GPUs.
#include "machine/probe.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "machine/causes_test.hpp"
#include "machine/machine_tree_test.hpp"

namespace tocuda {
namespace {

ProbeReport report_of(const ProbedLibraries& libraries) {
    std::string text;
    probe(libraries, [&](const ProbeReport& report) { text += text_of(report); });
    return probe_report_of(text);
}

TEST(Probe, ReportsAMissingDriver) {
    const auto report = report_of({"libnone-of-that-name.so.1", "libnone-of-that-name.so.2"});
    EXPECT_TRUE(report.finished);
    EXPECT_EQ(cause_of(report, "gpus").find("no driver: libnone-of-that-name.so.1 cannot be loaded: "), 0u)
        << cause_of(report, "gpus");
    EXPECT_EQ(cause_of(report, "driver.cuda"), cause_of(report, "gpus"));
    EXPECT_EQ(cause_of(report, "nvml").find("no NVML: "), 0u) << cause_of(report, "nvml");
}

TEST(Probe, ReportsAnEmptyDriverFile) {
    const MachineTree tree;
    tree.write("libcuda.so.1", "");
    const auto report = report_of({tree.root / "libcuda.so.1", "libnone-of-that-name.so.2"});
    EXPECT_NE(cause_of(report, "gpus").find("file too short"), std::string::npos) << cause_of(report, "gpus");
}

TEST(Probe, ReportsWhatAnUnrelatedLibraryLacks) {
    const auto report = report_of({"libm.so.6", "libm.so.6"});
    EXPECT_EQ(cause_of(report, "gpus"), "the driver has no cuInit");
    EXPECT_EQ(cause_of(report, "driver.cuda"), "the driver has no cuDriverGetVersion");
    EXPECT_EQ(cause_of(report, "nvml"), "NVML has no nvmlInit_v2");
    EXPECT_FALSE(report.usable());
}

TEST(Probe, ReportsEachStepBeforeItBegins) {
    std::vector<std::string> steps;
    probe({"libnone-of-that-name.so.1", "libnone-of-that-name.so.2"},
          [&](const ProbeReport& report) { steps.push_back(*report.doing); });
    EXPECT_EQ(steps.front(), "loading libnone-of-that-name.so.1");
}

struct FakeDriver : testing::Test {
    const std::string library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_driver.so";
    const ProbeReport report = report_of({library, library});
};

TEST_F(FakeDriver, ReportsTheFileItWasLoadedFrom) {
    EXPECT_EQ(report.library, library);
    EXPECT_EQ(report.nvml_library, library);
}

TEST_F(FakeDriver, IsUsable) {
    EXPECT_TRUE(report.usable());
    EXPECT_EQ(report.version, 13010);
    EXPECT_EQ(report.devices, 3);
    EXPECT_EQ(report.nvml_driver, "590.44.01");
    EXPECT_EQ(report.nvml_devices, 2);
}

TEST_F(FakeDriver, ReportsEverythingAboutAGpu) {
    const Gpu expected{.index = 0,
                       .uuid = "GPU-10101010-1010-1010-1010-101010101010",
                       .name = "A Fine GPU",
                       .vbios = "96.00.AF",
                       .compute_capability = "9.1",
                       .memory_bytes = std::int64_t{150} << 30,
                       .power_limit_w = 700.5,
                       .ecc = true,
                       .mig = false,
                       .persistence = true,
                       .pcie = {1, 8, 5, std::nullopt, 6},
                       .bar1_bytes = std::int64_t{256} << 30};
    ASSERT_EQ(report.gpus.size(), 3u);
    EXPECT_EQ(report.gpus[0], expected);
    EXPECT_EQ(cause_of(report, "gpus[0].pcie.width_max"), "NVML has no nvmlDeviceGetMaxPcieLinkWidth");
}

TEST_F(FakeDriver, ReportsWhatTheDriverDoesOnEachGpuOnce) {
    EXPECT_EQ(report.pageable_access, "hmm, ats") << "two GPUs have the latter";
    EXPECT_EQ(report.gsp_firmware, "590.44.01, off");
}

TEST_F(FakeDriver, ReportsConfidentialComputing) { EXPECT_EQ(report.confidential, true); }

TEST_F(FakeDriver, ReportsTheUuidOfAMigInstance) {
    ASSERT_EQ(report.gpus.size(), 3u);
    EXPECT_EQ(report.gpus[1].uuid, "MIG-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa");
    EXPECT_EQ(report.gpus[1].mig, true);
    EXPECT_EQ(cause_of(report, "gpus[1].power_limit_w"),
              "nvmlDeviceGetPowerManagementLimit answered 3 (Not Supported)");
}

TEST_F(FakeDriver, ReportsTheMigInstancesThatCudaDoesNotShow) {
    const Gpu expected{.index = 3,
                       .uuid = "MIG-bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb",
                       .name = "A Fine GPU MIG 1g.20gb",
                       .vbios = "96.00.AF",
                       .compute_capability = "9.1",
                       .memory_bytes = std::int64_t{20} << 30,
                       .ecc = true,
                       .mig = true,
                       .persistence = true,
                       .pcie = {1, 8, 5, std::nullopt, 6},
                       .bar1_bytes = std::int64_t{256} << 30};
    ASSERT_EQ(report.mig_instances.size(), 1u);
    EXPECT_EQ(report.mig_instances[0], expected);
}

TEST_F(FakeDriver, ReportsTheFieldsOfAGpuUnknownToNvml) {
    ASSERT_EQ(report.gpus.size(), 3u);
    EXPECT_EQ(report.gpus[2].vbios, std::nullopt);
    EXPECT_EQ(cause_of(report, "gpus[2].vbios"), "nvmlDeviceGetHandleByPciBusId_v2 answered 6 (Not Found)");
}

struct Health : testing::Test {
    const std::string library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_driver.so";
    const ProbeReport report = report_of({library, library, true});
};

TEST_F(Health, IsReportedOnlyIfAskedFor) {
    EXPECT_EQ(report_of({library, library}).nvml_init, std::nullopt);
    EXPECT_EQ(report.nvml_init, 0);
    EXPECT_EQ(report.nvml_gpus.size(), 2u);
    EXPECT_TRUE(report.nodes.empty()) << "the driver finds GPUs";
}

TEST_F(Health, ReportsEverythingAboutAGpu) {
    ASSERT_EQ(report.nvml_gpus.size(), 2u);
    const GpuHealth expected{.index = 0,
                             .pci = "00000000:00:00.0",
                             .uuid = "GPU-10101010",
                             .compute_mode = 3,
                             .fabric_state = 2,
                             .fabric_status = 0,
                             .uncorrected_errors = 5'000'000'000,
                             .remapping_pending = true,
                             .remapping_failed = false,
                             .mig = false,
                             .mig_pending = true,
                             .persistence = true,
                             .fabric_cluster = "eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee",
                             .power_default_w = 700,
                             .busy_percent = 37,
                             .processes = 2,
                             .memory_bytes = std::int64_t{150} << 30,
                             .memory_free_bytes = std::int64_t{100} << 30};
    EXPECT_EQ(report.nvml_gpus[0], expected);
}

TEST_F(Health, ReportsALostGpuAndMigInstances) {
    ASSERT_EQ(report.nvml_gpus.size(), 2u);
    EXPECT_EQ(report.nvml_gpus[0].trouble, std::nullopt);
    EXPECT_EQ(report.nvml_gpus[1].trouble, nvml_gpu_lost);
    EXPECT_EQ(report.nvml_gpus[1].mig_instances, 2);
}

TEST_F(Health, ReportsRetiredPagesOfOlderGpus) { EXPECT_EQ(report.nvml_gpus.at(1).remapping_pending, true); }

TEST_F(Health, ReportsWhetherTheGpusAcceptConfidentialWork) { EXPECT_EQ(report.confidential_ready, false); }

TEST_F(Health, ReportsAddressesByWhichCudaAndNvmlAgree) {
    ASSERT_EQ(report.cuda_gpus.size(), 3u);
    EXPECT_EQ(report.cuda_gpus[1].pci, "00000000:01:00.0");
    EXPECT_EQ(report.nvml_gpus.at(1).pci, report.cuda_gpus[1].pci);
}

TEST(DeviceNodes, AreOpenedAndOthersLeftAlone) {
    const MachineTree tree;
    for (const char* name : {"nvidia0", "nvidiactl", "nvidia-modeset", "null"}) tree.write(name, "");
    std::filesystem::create_directory_symlink(tree.root / "absent", tree.root / "nvidia1");
    ProbeReport report;
    probe_nodes(tree.root, report, [](const std::string&) {});
    ASSERT_EQ(report.nodes.size(), 3u);
    EXPECT_EQ(report.nodes[0], (NodeAnswer{0, tree.root / "nvidia0", 0}));
    EXPECT_EQ(report.nodes[1], (NodeAnswer{1, tree.root / "nvidia1", ENOENT}));
    EXPECT_EQ(report.nodes[2].path, tree.root / "nvidiactl");
}

// The list of causes contains each missing field once and nothing else.
TEST_F(FakeDriver, ReportsEachMissingFieldOnce) { EXPECT_EQ(report.unavailable.size(), 1u + 2u + 11u + 2u); }

}  // namespace
}  // namespace tocuda
