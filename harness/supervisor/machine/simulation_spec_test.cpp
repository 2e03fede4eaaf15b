// tocuda, Apache-2.0.
// The specs that --simulate accepts, and its errors for others.
#include "machine/simulation_spec.hpp"

#include <gtest/gtest.h>

#include "machine/machine_tree_test.hpp"

namespace tocuda {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

std::vector<std::int64_t> memories(const std::string& spec) {
    const auto simulation = parse_simulation(spec);
    EXPECT_TRUE(simulation) << simulation.error().what;
    std::vector<std::int64_t> bytes;
    if (simulation)
        for (const auto& gpu : simulation->machine.gpus) bytes.push_back(gpu.memory_bytes);
    return bytes;
}

std::string wrong(const std::string& spec) {
    const auto simulation = parse_simulation(spec);
    EXPECT_FALSE(simulation) << spec;
    EXPECT_EQ(simulation.error().what.find('\n'), std::string::npos) << spec;
    return simulation.error().what;
}

testing::AssertionResult has(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' is not in '" << text << "'";
}

TEST(SimulationSpec, CountsGpusOfASize) { EXPECT_EQ(memories("4x1GiB"), std::vector<std::int64_t>(4, gib)); }

TEST(SimulationSpec, GpuOfASizeHasTheSchemaDefaults) {
    const auto simulation = parse_simulation("1x1GiB");
    ASSERT_TRUE(simulation) << simulation.error().what;
    SimulatedMachine expected;
    expected.gpus.emplace_back().memory_bytes = gib;
    EXPECT_EQ(simulation->machine, complete(expected));
}

TEST(SimulationSpec, AcceptsUnequalGpus) {
    EXPECT_EQ(memories("1x1GiB,1x4GiB"), (std::vector<std::int64_t>{gib, 4 * gib}));
}

TEST(SimulationSpec, AcceptsFractionsOfAGibibyte) {
    EXPECT_EQ(memories("1x1.5GiB,1x512MiB"), (std::vector<std::int64_t>{gib * 3 / 2, gib / 2}));
}

TEST(SimulationSpec, AcceptsAProfileWithOtherMemory) {
    const auto simulation = parse_simulation("2xL4:12GiB");
    ASSERT_TRUE(simulation) << simulation.error().what;
    EXPECT_EQ(memories("2xL4:12GiB"), std::vector<std::int64_t>(2, 12 * gib));
    EXPECT_EQ(simulation->machine.gpus[0].name, "NVIDIA L4");
    for (const auto* wrong : {"1xL4:", "1xL4:much", "1xL400:1GiB", "1x:1GiB"})
        EXPECT_FALSE(parse_simulation(wrong)) << wrong;
}

TEST(SimulationSpec, AcceptsProfiles) {
    const auto simulation = parse_simulation("2xH200,1xT4");
    ASSERT_TRUE(simulation) << simulation.error().what;
    ASSERT_EQ(simulation->machine.gpus.size(), 3u);
    EXPECT_EQ(simulation->machine.gpus[1].name, "NVIDIA H200");
    EXPECT_EQ(simulation->machine.gpus[2].name, "Tesla T4");
}

TEST(SimulationSpec, AcceptsTheSmallestLargestAndMostGpus) {
    EXPECT_EQ(memories("1x2MiB,1x1TiB"), (std::vector<std::int64_t>{2 << 20, std::int64_t{1} << 40}));
    EXPECT_EQ(memories("64x1GiB").size(), 64u);
}

TEST(SimulationSpec, RefusesNoGpusAndListsTheForms) {
    EXPECT_TRUE(has(wrong("0x1GiB"), "'0x1GiB': at least 1 GPU is needed; use COUNTxMEMORY (4x1GiB"));
    EXPECT_TRUE(has(wrong("-1x1GiB"), "at least 1 GPU is needed"));
}

TEST(SimulationSpec, RefusesTooManyGpus) {
    EXPECT_TRUE(has(wrong("65x1GiB"), "at most 64 GPUs"));
    EXPECT_TRUE(has(wrong("40x1GiB,25x1GiB"), "at most 64 GPUs"));
    EXPECT_TRUE(has(wrong("99999999999999999999x1GiB"), "is not a count"));
}

TEST(SimulationSpec, RefusesAbsurdSizesAndNamesTheRange) {
    for (const char* spec : {"1x1EiB", "1x2TiB", "1x99999999999999999999999GiB"})
        EXPECT_TRUE(has(wrong(spec), "too much; a GPU may have from 2MiB to 1TiB"));
    for (const char* spec : {"2x-1GiB", "1x0GiB", "1x1KiB"})
        EXPECT_TRUE(has(wrong(spec), "too little; a GPU may have from 2MiB to 1TiB"));
}

TEST(SimulationSpec, RefusesSizesWithoutAUnit) {
    for (const char* spec : {"1x1", "1x1G", "1x1GB", "1x1.2.3GiB", "1x--1GiB", "1x.GiB"})
        EXPECT_TRUE(has(wrong(spec), "is not a memory size; use 512MiB")) << spec;
}

TEST(SimulationSpec, UnknownProfilesGetTheNearestName) {
    const auto text = wrong("1xH20");
    EXPECT_TRUE(has(text, "no profile named 'H20' (did you mean 'H200'?)"));
    EXPECT_TRUE(has(text, "T4, "));
    EXPECT_TRUE(has(wrong("1x24GB"), "did you mean 24GiB?"));
    EXPECT_FALSE(has(wrong("1x0"), "did you mean")) << "RTX4090 has a 0";
    EXPECT_TRUE(has(wrong("1xA100"), "did you mean 'A100-40'?"));
}

TEST(SimulationSpec, RefusesIncompleteSpecs) {
    EXPECT_TRUE(has(wrong("1x"), "has no memory size, file or profile after the 'x'; use"));
    EXPECT_TRUE(has(wrong("lots"), "has no 'x'"));
    EXPECT_TRUE(has(wrong(""), "has no 'x'"));
    EXPECT_TRUE(has(wrong("x1GiB"), "'' is not a count"));
    EXPECT_TRUE(has(wrong("1x1GiB,"), "has no 'x'"));
    EXPECT_TRUE(has(wrong("twox1GiB"), "'two' is not a count"));
}

struct SimulationFileSpec : testing::Test {
    std::string file(const std::string& name, const std::string& more = "") {
        tree.write(
            name,
            R"({"name":"Mine","compute_capability":"8.0","figures":{"memory_bytes":1073741824,"multiprocessors":2})" +
                more + "}");
        return tree.root / name;
    }
    MachineTree tree;
};

TEST_F(SimulationFileSpec, AcceptsAProfileFile) {
    const auto simulation =
        parse_simulation("2x" + file("a.json", R"(,"machine":{"driver":12080,"clock":"2026-11-21T10:00:00Z"})"));
    ASSERT_TRUE(simulation) << simulation.error().what;
    EXPECT_EQ(simulation->machine.gpus.at(1).name, "Mine");
    EXPECT_EQ(simulation->machine.driver_version, 12080);
}

TEST_F(SimulationFileSpec, NamesAMissingFile) {
    EXPECT_TRUE(has(wrong("1x" + (tree.root / "none.json").string()), "none.json cannot be read"));
}

TEST_F(SimulationFileSpec, NamesTheInvalidFieldOfAFile) {
    EXPECT_TRUE(has(wrong("1x" + file("a.json", R"(,"noise":-1)")), "a.json: noise: is not a number between 0 and 1"));
}

TEST_F(SimulationFileSpec, RefusesAnInvalidClock) {
    EXPECT_TRUE(
        has(wrong("1x" + file("a.json", R"(,"machine":{"clock":"noon"})")), "machine.clock: is not of the form"));
}

TEST_F(SimulationFileSpec, RefusesTwoDifferentMachines) {
    const auto one = file("a.json", R"(,"machine":{"driver":12080})"),
               another = file("b.json", R"(,"machine":{"driver":13000})");
    EXPECT_TRUE(has(wrong("1x" + one + ",1x" + another), "a machine has one driver"));
    EXPECT_TRUE(parse_simulation("1x" + one + ",1x" + one));
}

TEST_F(SimulationFileSpec, ExplicitDefaultMachineStillConflicts) {
    const auto one = file("a.json", R"(,"machine":{"driver":13000})"),
               another = file("b.json", R"(,"machine":{"driver":12080})");
    EXPECT_TRUE(has(wrong("1x" + one + ",1x" + another), "a machine has one driver"));
}

TEST_F(SimulationFileSpec, RefusesFaultsAndLinksOfGpusThatAreNotThere) {
    const auto fault = file("a.json", R"(,"machine":{"faults":["peer 0 2 lost"]})"),
               link = file("b.json", R"(,"machine":{"links":[{"from":2,"to":0,"latency_ns":7}]})");
    EXPECT_EQ(wrong("2x" + fault), "fault 'peer 0 2 lost': there is no GPU 2");
    EXPECT_EQ(wrong("2x" + link), "the link from GPU 2 to GPU 0: there is no GPU 2");
    EXPECT_TRUE(parse_simulation("3x" + fault));
    EXPECT_TRUE(parse_simulation("1x1GiB,2x" + link));
}

}  // namespace
}  // namespace tocuda
