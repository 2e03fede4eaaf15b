// tocuda, Apache-2.0.
// What the simulated runtime is told, and what the run line says of it.
#include "machine/simulation_file.hpp"

#include <gtest/gtest.h>

#include "machine/causes_test.hpp"
#include "machine/machine_tree_test.hpp"
#include "machine/profiles.hpp"
#include "machine/text_file.hpp"

namespace tocuda {
namespace {

TEST(SimulationText, OfAPlainGpuIsShort) {
    EXPECT_EQ(simulation_text({{plain_profile(1 << 30)}, {}}, 7),
              "# A machine with simulated GPUs, written by tocuda.\n"
              "driver 13000\ndriver_name 580.95.05\nseed 7\n"
              "gpu\nname Simulated GPU\nuuid GPU-70c0da00-0000-4000-8000-000000000000\ncompute_capability 9.0\n"
              "memory_bytes 1073741824\nmultiprocessors 4\n");
}

TEST(SimulationText, CarriesWhatTheMachineCallsItself) {
    const MachineNames machine{.driver = 12080, .driver_name = "570.1", .peer_access = false, .host_memory_bytes = 9,
                               .error_texts = {{2, "no memory left"}}, .faults = {"cudaMalloc 3 2 sticky"}};
    const auto text = simulation_text({{plain_profile(1 << 30)}, machine}, 1);
    EXPECT_NE(text.find("driver 12080\ndriver_name 570.1\nseed 1\npeer_access none\nhost_memory_bytes 9\nerror 2 no memory left\n"
                        "fault cudaMalloc 3 2 sticky\n"),
              std::string::npos)
        << text;
}

TEST(SimulationText, CarriesAttributesVariationsAndTelemetry) {
    auto gpu = plain_profile(1 << 30);
    gpu.attributes = {{95, 1}};
    gpu.variations = {{"noise", 0.25}, {"outlier_probability", 1e-7}};
    gpu.telemetry = {"busy pcie_generation 5", "3 reasons hw_slowdown"};
    EXPECT_NE(simulation_text({{gpu}, {}}, 1).find("attribute 95 1\nnoise 0.25\noutlier_probability 1e-07\n"
                                                   "telemetry busy pcie_generation 5\ntelemetry 3 reasons hw_slowdown\n"),
              std::string::npos);
}

TEST(SimulationText, CarriesEveryFigureAndNoneThatIsNotKnown) {
    const auto text = simulation_text({{*built_in_profile("H200")}, {}}, 1);
    EXPECT_NE(text.find("\npower_limit_w 700\n"), std::string::npos);
    EXPECT_NE(text.find("\nmultiprocessors 132\n"), std::string::npos);
    EXPECT_EQ(text.find("context_bytes"), std::string::npos);
}

TEST(WriteSimulation, GivesEqualTextsOneFile) {
    const MachineTree tree;
    const auto first = write_simulation(tree.root / "new", "seed 1\n");
    EXPECT_EQ(read_text(first), "seed 1\n");
    EXPECT_EQ(write_simulation(tree.root / "new", "seed 1\n"), first);
    EXPECT_NE(write_simulation(tree.root / "new", "seed 2\n"), first);
}

TEST(WriteSimulation, ThatFailsIsEmpty) {
    const MachineTree tree;
    tree.write("new", "a file where the folder should be");
    EXPECT_EQ(write_simulation(tree.root / "new", "seed 1\n"), "");
}

TEST(AddSimulation, TakesThePlaceOfTheRealDriver) {
    RunLine line;
    line.boot = "real boot";
    line.driver_loaded = "2026-11-21T10:00:00Z";
    line.unavailable = {{"driver.kernel_module", "none"}, {"gpus", "none"}, {"machine.cpu", "none"}};
    add_simulation(line, {{*built_in_profile("H200"), plain_profile(1 << 30)}, {}});
    EXPECT_EQ(line.driver, (Driver{"580.95.05", "13.0", "simulated"}));
    EXPECT_EQ(line.boot, "real boot");
    EXPECT_EQ(line.driver_loaded, std::nullopt);
    EXPECT_EQ(cause_of(line, "driver.kernel_module"), "");
    EXPECT_EQ(cause_of(line, "machine.cpu"), "none");
    EXPECT_EQ(line.gpus.at(0).pcie, (PcieLink{5, 16, 5, 16, 5}));
    EXPECT_EQ(line.gpus.at(1).uuid, "GPU-70c0da00-0000-4000-8000-000000000001");
    EXPECT_EQ(cause_of(line, "gpus[1].power_limit_w"), "the profile of this simulated GPU does not say");
    EXPECT_EQ(cause_of(line, "gpus[0].power_limit_w"), "");
}

TEST(AddSimulation, TakesTheBootThatTheFileNames) {
    RunLine line;
    line.boot = "real boot";
    add_simulation(line, {{plain_profile(1 << 30)}, {.boot = "my boot"}});
    EXPECT_EQ(line.boot, "my boot");
}

}  // namespace
}  // namespace tocuda
