// tocuda, Apache-2.0.
// The published rules of CUDA_VISIBLE_DEVICES.
#include "settings/visible_devices.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tocuda::simulator
