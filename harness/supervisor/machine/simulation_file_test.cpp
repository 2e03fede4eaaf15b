// tocuda, Apache-2.0.
// The file that the simulator loads, and the run line of a simulation.
#include <gtest/gtest.h>

#include "machine/causes_test.hpp"
#include "machine/machine_tree_test.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/text_file.hpp"
#include "simulator/schema/compiled.hpp"

namespace tocuda {
namespace {

Simulation simulation_of(const std::string& spec) {
    const auto simulation = parse_simulation(spec);
    if (!simulation) throw std::runtime_error(simulation.error().what);
    return *simulation;
}

TEST(WriteSimulation, WritesEqualMachinesToOneFile) {
    const MachineTree tree;
    const SimulatedMachine one{.seed = 1}, another{.seed = 2};
    const auto first = write_simulation(tree.root / "new", one).value();
    EXPECT_EQ(read_text(first), compiled(one));
    EXPECT_EQ(write_simulation(tree.root / "new", one).value(), first);
    EXPECT_NE(write_simulation(tree.root / "new", another).value(), first);
}

TEST(WriteSimulation, NamesAFolderThatCannotBeWritten) {
    const MachineTree tree;
    tree.write("new", "a file where the folder should be");
    EXPECT_EQ(write_simulation(tree.root / "new", {}).error().what,
              (tree.root / "new").string() + ": cannot be written");
}

TEST(AddSimulation, ReplacesTheRealDriver) {
    RunLine line;
    line.boot = "real boot";
    line.driver_loaded = "2026-11-21T10:00:00Z";
    line.unavailable = {{"driver.kernel_module", "none"}, {"gpus", "none"}, {"machine.cpu", "none"}};
    add_simulation(line, simulation_of("1xH200,1x1GiB"));
    EXPECT_EQ(line.driver, (Driver{"580.95.05", "13.0", "simulated"}));
    EXPECT_EQ(line.boot, "real boot");
    EXPECT_EQ(line.driver_loaded, std::nullopt);
    EXPECT_EQ(cause_of(line, "driver.kernel_module"), "");
    EXPECT_EQ(cause_of(line, "machine.cpu"), "none");
    EXPECT_EQ(line.gpus.at(0).pcie, (PcieLink{5, 16, 5, 16, 5}));
    EXPECT_EQ(line.gpus.at(1).uuid, "GPU-70c0da00-0000-4000-8000-000000000001");
    EXPECT_EQ(cause_of(line, "gpus[1].power_limit_w"), "not in the profile of this simulated GPU");
    EXPECT_EQ(cause_of(line, "gpus[0].power_limit_w"), "");
}

TEST(AddSimulation, UsesTheBootOfTheProfile) {
    RunLine line;
    line.boot = "real boot";
    auto simulation = simulation_of("1x1GiB");
    simulation.boot = "my boot";
    add_simulation(line, simulation);
    EXPECT_EQ(line.boot, "my boot");
}

}  // namespace
}  // namespace tocuda
