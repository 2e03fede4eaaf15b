// tocuda, Apache-2.0.
// What the run lines allow to be concluded from a difference. The tests change every recorded field, one at a time.
#include "comparison_input/attribution.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace tocuda {
namespace {

RunLine a_run() {
    RunLine run{.run = "r",
                .time = "2026-11-21T10:00:00Z",
                .verb = "bench",
                .device = Device::real,
                .session = "s",
                .boot = "b",
                .driver_loaded = "d"};
    run.suite = {"0.1.0", "abcdef", false};
    run.machine = {.host = "node17",
                   .os = "Debian 12",
                   .kernel = "6.1",
                   .cpu = "EPYC",
                   .numa_nodes = 2,
                   .cpu_governor = "performance",
                   .iommu = "identity",
                   .linux_firmware = "linux-firmware 20240318",
                   .confidential_computing = false};
    run.driver = {"570.86.15", "12.8", "open", "570.86.15", "hmm"};
    run.cuda = {"13.0", "13.0", {"90"}};
    run.libtorch = {"2.15.0", "cu130"};
    run.gpus = {Gpu{.index = 0,
                    .uuid = "GPU-a",
                    .name = "NVIDIA H200",
                    .vbios = "96",
                    .compute_capability = "9.0",
                    .memory_bytes = 1000,
                    .power_limit_w = 700.0,
                    .ecc = true,
                    .mig = false,
                    .persistence = true,
                    .pcie = {5, 16, 5, 16},
                    .bar1_bytes = 256}};
    run.protocol = Protocol{};
    return run;
}

using Change = std::function<void(RunLine&)>;

TEST(Attribution, SaysInASentenceWhatAnotherToolDoesNotRecord) {
    auto foreign = a_run();
    foreign.imported = Import{.tool = "nvbandwidth"};
    foreign.machine = {};
    foreign.cuda = {};
    foreign.libtorch = {};
    SideFields before, after;
    before.add(fields_of(foreign));
    after.add(fields_of(a_run()));
    const auto text = attribute(before, after).text;
    EXPECT_NE(text.find("the old side was measured by nvbandwidth, which records no kernel, CPU, LibTorch and "),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("only)"), std::string::npos) << text;
}

SideFields side(const std::vector<RunLine>& runs) {
    SideFields fields;
    for (const auto& run : runs) {
        fields.add(fields_of(run));
        for (const auto& gpu : run.gpus) fields.add_gpu(0, gpu);
    }
    return fields;
}

Attribution changed_by(const Change& change) {
    auto run = a_run();
    change(run);
    return attribute(side({a_run()}), side({run}));
}

void new_driver(RunLine& run) { run.driver = {"580.95.05", "13.0", "open", "570.86.15", "hmm"}; }

TEST(Attribution, EqualSidesHaveNone) {
    const auto none = changed_by([](RunLine&) {});
    EXPECT_EQ(none.only, std::nullopt);
    EXPECT_TRUE(none.changed.empty());
    EXPECT_EQ(none.text, "no recorded field changed");
}

TEST(Attribution, ReportsThatOnlyTheDriverChanged) {
    const auto attribution = changed_by(new_driver);
    EXPECT_EQ(attribution.only, "driver");
    EXPECT_EQ(attribution.text, "only the driver changed: 570.86.15 -> 580.95.05 (CUDA 12.8 -> 13.0)");
    ASSERT_EQ(attribution.changed.size(), 2U);
    EXPECT_EQ(attribution.changed[1], (FieldChange{"driver.kernel_module", "570.86.15", "580.95.05"}));
}

TEST(Attribution, ReportsWhatElseChanged) {
    const auto attribution = changed_by([](RunLine& run) {
        new_driver(run);
        run.gpus[0].power_limit_w = 600.0;
    });
    EXPECT_EQ(attribution.only, std::nullopt);
    EXPECT_EQ(attribution.text,
              "not attributable: besides the driver (570.86.15 -> 580.95.05 (CUDA 12.8 -> 13.0)), this changed: power "
              "limit 700 -> 600 W");
}

TEST(Attribution, TellsValuesOfIdentitiesOnlyWhereNothingElseChanged) {
    const auto other_commit = [](RunLine& run) { run.suite.commit = std::string(40, 'b'); };
    EXPECT_EQ(changed_by(other_commit).text, "only tocuda itself changed: commit of tocuda abcdef -> bbbbbbbbbbbb");
    const auto two = changed_by([&](RunLine& run) {
        other_commit(run);
        new_driver(run);
    });
    EXPECT_EQ(two.only, std::nullopt);
    EXPECT_EQ(two.text + two.also,
              "the driver changed: 570.86.15 -> 580.95.05 (CUDA 12.8 -> 13.0); not attributable: commit of tocuda "
              "changed, too");
    const auto many = changed_by([&](RunLine& run) {
        other_commit(run);
        new_driver(run);
        run.gpus[0].uuid = "GPU-b";
        run.machine.cpu = "Xeon";
        run.machine.kernel = "6.2";
    });
    EXPECT_EQ(many.text,
              "not attributable: besides the driver (570.86.15 -> 580.95.05 (CUDA 12.8 -> 13.0)), this changed: kernel "
              "6.1 -> 6.2, CPU EPYC -> Xeon");
    EXPECT_EQ(many.also, "GPU UUID, commit of tocuda");
    EXPECT_EQ(many.changed.size(), 6U) << "files keep all of them";
}

TEST(Attribution, CountsGpusByModel) {
    auto old_side = side({a_run()});
    auto new_side = old_side;
    old_side.add({{"gpus", "NVIDIA H200 (GPU-a), NVIDIA H200 (GPU-b)"}});
    new_side.add({{"gpus", "NVIDIA H200 (GPU-c), NVIDIA B200 (GPU-d)"}});
    EXPECT_EQ(attribute(old_side, new_side).text,
              "only the GPU changed: GPUs 2x NVIDIA H200 -> NVIDIA B200, NVIDIA H200");
}

TEST(Attribution, NamesWhatElseMayHaveChangedTheSpeed) {
    const auto attribution = changed_by([](RunLine& run) {
        new_driver(run);
        run.machine.cpu_governor = "powersave";
        run.machine.iommu = "DMA-FQ";
    });
    EXPECT_NE(attribution.text.find("CPU governor performance -> powersave, IOMMU identity -> DMA-FQ"),
              std::string::npos)
        << attribution.text;
}

TEST(Attribution, AttributesEachField) {
    const std::vector<std::pair<std::string, Change>> changes{
        {"driver", [](RunLine& run) { run.driver.kernel_module = "1"; }},
        {"driver", [](RunLine& run) { run.driver.cuda = "1"; }},
        {"driver", [](RunLine& run) { run.driver.flavour = "proprietary"; }},
        {"driver", [](RunLine& run) { run.driver.gsp_firmware = "off"; }},
        {"driver", [](RunLine& run) { run.driver.pageable_access = "none"; }},
        {"cuda", [](RunLine& run) { run.cuda.runtime = "1"; }},
        {"cuda", [](RunLine& run) { run.cuda.toolkit = "1"; }},
        {"cuda", [](RunLine& run) { run.cuda.architectures = {"80", "90"}; }},
        {"libtorch", [](RunLine& run) { run.libtorch.version = "2.14"; }},
        {"libtorch", [](RunLine& run) { run.libtorch.build = "cpu"; }},
        {"suite", [](RunLine& run) { run.suite.version = "0.2"; }},
        {"suite", [](RunLine& run) { run.suite.commit = "fedcba"; }},
        {"suite", [](RunLine& run) { run.suite.dirty = true; }},
        {"machine", [](RunLine& run) { run.machine.host = "other"; }},
        {"machine", [](RunLine& run) { run.machine.os = "other"; }},
        {"machine", [](RunLine& run) { run.machine.kernel = "other"; }},
        {"machine", [](RunLine& run) { run.machine.cpu = "other"; }},
        {"machine", [](RunLine& run) { run.machine.numa_nodes = 1; }},
        {"machine", [](RunLine& run) { run.machine.cpu_governor = "powersave"; }},
        {"machine", [](RunLine& run) { run.machine.iommu = "DMA-FQ"; }},
        {"machine", [](RunLine& run) { run.machine.linux_firmware = "linux-firmware 20250210"; }},
        {"machine", [](RunLine& run) { run.machine.confidential_computing = true; }},
        {"gpu", [](RunLine& run) { run.gpus[0].uuid = "GPU-b"; }},
        {"gpu", [](RunLine& run) { run.gpus[0].name = "other"; }},
        {"gpu", [](RunLine& run) { run.gpus[0].vbios = "97"; }},
        {"gpu", [](RunLine& run) { run.gpus[0].compute_capability = "8.0"; }},
        {"gpu", [](RunLine& run) { run.gpus[0].memory_bytes = 999; }},
        {"gpu", [](RunLine& run) { run.gpus[0].power_limit_w = 600.5; }},
        {"gpu", [](RunLine& run) { run.gpus[0].ecc = false; }},
        {"gpu", [](RunLine& run) { run.gpus[0].mig = true; }},
        {"gpu", [](RunLine& run) { run.gpus[0].persistence = false; }},
        {"gpu", [](RunLine& run) { run.gpus[0].bar1_bytes = 128; }},
        {"gpu", [](RunLine& run) { run.gpus[0].pcie.generation_max = 4; }},
        {"gpu", [](RunLine& run) { run.gpus[0].pcie.width_max = 8; }},
        {"protocol", [](RunLine& run) { run.protocol->name = "full"; }},
        {"protocol", [](RunLine& run) { run.protocol->launches_max = 9; }},
        {"protocol", [](RunLine& run) { run.protocol->launch_budget_s = 9; }},
        {"device", [](RunLine& run) { run.device = Device::simulated; }}};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto attribution = changed_by(changes[i].second);
        EXPECT_EQ(attribution.only, changes[i].first) << "change " << i;
        EXPECT_EQ(attribution.changed.size(), 1U) << "change " << i;
    }
}

TEST(Attribution, IgnoresFieldsThatAlwaysDiffer) {
    const auto attribution = changed_by([](RunLine& run) {
        run.run = run.session = *(run.boot = run.driver_loaded = "other");
        run.time = "2026-11-22T10:00:00Z";
        run.seed = 9;
        run.command = {"tocuda"};
        run.gpus[0].index = 3;
        run.gpus[0].pcie.generation = 1;
        run.gpus[0].pcie.width = 1;
    });
    EXPECT_TRUE(attribution.changed.empty());
}

TEST(Attribution, ReportsMixedValuesOfASide) {
    auto other = a_run();
    new_driver(other);
    const auto attribution = attribute(side({a_run(), other}), side({other}));
    EXPECT_EQ(attribution.only, std::nullopt);
    ASSERT_EQ(attribution.mixed.size(), 2U);
    EXPECT_EQ(attribution.mixed[1].values, (std::vector<std::string>{"570.86.15", "580.95.05"}));
    EXPECT_NE(attribution.text.find("the old side has several values of driver (570.86.15, 580.95.05)"),
              std::string::npos)
        << attribution.text;
}

TEST(Attribution, EqualMixturesAreNoChange) {
    auto other = a_run();
    other.machine.host = "node18";
    EXPECT_EQ(attribute(side({a_run(), other}), side({other, a_run()})).text, "no recorded field changed");
}

TEST(Attribution, ReportsFieldsRecordedOnOneSideOnly) {
    const auto attribution = changed_by([](RunLine& run) {
        new_driver(run);
        run.gpus[0].vbios.reset();
    });
    EXPECT_EQ(attribution.only, std::nullopt);
    EXPECT_EQ(attribution.unknown, (std::vector<FieldChange>{{"gpus[0].vbios", "96", std::nullopt}}));
    EXPECT_NE(attribution.text.find("recorded on one side only: VBIOS (old only)"), std::string::npos)
        << attribution.text;
}

TEST(Attribution, NamesWhatWasSimulatedOnlyIfNothingElseChanged) {
    auto old_side = side({a_run()});
    auto new_side = old_side;
    old_side.simulated = {"1xH200"};
    new_side.simulated = {"1xslow.json"};
    EXPECT_EQ(attribute(old_side, new_side).text, "only what was simulated changed: GPUs 1xH200 -> 1xslow.json");
    auto run = a_run();
    new_driver(run);
    auto driver = side({run});
    driver.simulated = {"1xslow.json"};
    EXPECT_EQ(attribute(old_side, driver).only, "driver") << "whose profile is another file";
    old_side.simulated.insert("1xanother.json");
    EXPECT_EQ(attribute(old_side, new_side).text, "no recorded field changed") << "each session has a file of its own";
    old_side.simulated.clear();
    EXPECT_EQ(attribute(old_side, new_side).text, "no recorded field changed");
}

}  // namespace
}  // namespace tocuda
