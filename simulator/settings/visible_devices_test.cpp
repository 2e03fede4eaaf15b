// tocuda, Apache-2.0.
// The published rules of CUDA_VISIBLE_DEVICES.
#include <gtest/gtest.h>

#include <cstdlib>

#include "settings/simulation_file.hpp"

namespace tocuda::simulator {
namespace {

std::vector<int> of_four(std::optional<std::string_view> list) {
    std::vector<SimulatedGpu> gpus(4);
    gpus[0].uuid = "GPU-aa01";
    gpus[1].uuid = "GPU-aa02";
    gpus[2].uuid = "GPU-bb";
    gpus[3].uuid = "GPU-cc";
    return visible_devices(list, gpus);
}

using Devices = std::vector<int>;

TEST(VisibleDevices, AllWithoutList) { EXPECT_EQ(of_four(std::nullopt), (Devices{0, 1, 2, 3})); }
TEST(VisibleDevices, NoneWithEmptyList) { EXPECT_EQ(of_four(""), Devices{}); }
TEST(VisibleDevices, KeepOrderOfList) { EXPECT_EQ(of_four("2,0"), (Devices{2, 0})); }
TEST(VisibleDevices, InvalidEntryEndsList) { EXPECT_EQ(of_four("0,2,-1,1"), (Devices{0, 2})); }
TEST(VisibleDevices, NoneIfFirstIsOutOfRange) { EXPECT_EQ(of_four("4,0"), Devices{}); }
TEST(VisibleDevices, NoneIfOneIsRepeated) { EXPECT_EQ(of_four("1,1"), Devices{}); }
TEST(VisibleDevices, FoundByUniqueUuidPrefix) { EXPECT_EQ(of_four("GPU-c,GPU-b"), (Devices{3, 2})); }
TEST(VisibleDevices, NotFoundByAmbiguousUuidPrefix) { EXPECT_EQ(of_four("GPU-aa"), Devices{}); }
TEST(VisibleDevices, NotFoundByWord) { EXPECT_EQ(of_four("all"), Devices{}); }

TEST(VisibleDevices, OfMigInstancesAreTheFirstAlone) {
    std::vector<SimulatedGpu> gpus(3);
    for (auto& gpu : gpus) gpu.mig = 1;
    gpus[2].uuid = "MIG-cc";
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(visible_devices_of_environment(gpus), Devices{0});
    ::setenv("CUDA_VISIBLE_DEVICES", "MIG-cc,0", 1);
    EXPECT_EQ(visible_devices_of_environment(gpus), Devices{2});
    ::unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace tocuda::simulator
