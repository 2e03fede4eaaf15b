// tocuda, Apache-2.0.
// Tests which processors and which memory are requested, on machines described by files.
#include <gtest/gtest.h>

#include <fstream>

#include "measurement/numa.hpp"
#include "model/folder_test.hpp"

namespace tocuda {
namespace {

struct Machine {
    Machine() {
        write("devices/system/node/online", "0-1");
        write("devices/system/node/node0/cpulist", "0-3");
        write("devices/system/node/node1/cpulist", "4-7,12");
        write("bus/pci/devices/0000:c1:00.0/numa_node", "1");
    }

    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text << "\n";
    }

    Flags stay_near(const std::string& bus_id = "0000:C1:00.0") {
        return stay_near_gpu(bus_id,
                             {.allowed_processors = [this] { return allowed; },
                              .use_processors =
                                  [this](const std::vector<int>& processors) {
                                      used = processors;
                                      return processor_refusal;
                                  },
                              .prefer_memory =
                                  [this](int node) {
                                      preferred = node;
                                      return memory_refusal;
                                  }},
                             root);
    }

    TestFolder own;
    const std::filesystem::path& root = own.path();
    std::vector<int> allowed{0, 1, 2, 3, 4, 5, 6, 7, 12};
    std::vector<int> used{};
    int preferred = -1;
    std::string processor_refusal{};
    std::string memory_refusal{};
};

TEST(NearGpu, UsesGpusNode) {
    Machine machine;
    EXPECT_TRUE(machine.stay_near().empty());
    EXPECT_EQ(machine.used, (std::vector<int>{4, 5, 6, 7, 12}));
    EXPECT_EQ(machine.preferred, 1);
}

TEST(NearGpu, UsesOnlyAllowedProcessors) {
    Machine machine;
    machine.allowed = {0, 5, 12};
    EXPECT_TRUE(machine.stay_near().empty());
    EXPECT_EQ(machine.used, (std::vector<int>{5, 12}));
}

TEST(NearGpu, FlagsNodeWithoutAllowedProcessors) {
    Machine machine;
    machine.allowed = {0, 1};
    EXPECT_EQ(machine.stay_near(), Flags{"affinity_not_set (this process may not use any processor of node 1)"});
    EXPECT_TRUE(machine.used.empty());
}

TEST(NearGpu, FlagsRefusalWithReason) {
    Machine machine;
    machine.memory_refusal = "set_mempolicy: Operation not permitted";
    EXPECT_EQ(machine.stay_near(), Flags{"affinity_not_set (set_mempolicy: Operation not permitted)"});
    machine.processor_refusal = "sched_setaffinity: Invalid argument";
    EXPECT_EQ(machine.stay_near(), Flags{"affinity_not_set (sched_setaffinity: Invalid argument)"});
}

TEST(NearGpu, RequestsNothingOnMachineWithOneNode) {
    Machine machine;
    machine.write("devices/system/node/online", "0");
    EXPECT_TRUE(machine.stay_near().empty());
    EXPECT_EQ(machine.preferred, -1);
}

TEST(NearGpu, FlagsUnknownNode) {
    Machine machine;
    machine.write("bus/pci/devices/0000:c1:00.0/numa_node", "-1");
    EXPECT_EQ(machine.stay_near(), Flags{"affinity_not_set (the system does not report the GPU's NUMA node)"});
    EXPECT_EQ(machine.stay_near("0000:C2:00.0").size(), 1U);
}

// Runs on the real machine: requesting the allowed processors must succeed.
TEST(NearGpu, SystemAcceptsAllowedProcessors) {
    const auto calls = placement_calls();
    const auto allowed = calls.allowed_processors();
    ASSERT_FALSE(allowed.empty());
    EXPECT_EQ(calls.use_processors(allowed), "");
    EXPECT_EQ(calls.allowed_processors(), allowed);
}

}  // namespace
}  // namespace tocuda
