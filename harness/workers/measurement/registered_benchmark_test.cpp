// tocuda, Apache-2.0.
// What the registry and a tuning benchmark say of the group and the cost of a benchmark.
#include "measurement/registered_benchmark.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(GroupOfFolder, IsTheLongestKnownFolder) {
    EXPECT_EQ(group_of_folder("copy/device_to_device/best"), (Group{"copy/device_to_device", 0}));
    EXPECT_EQ(group_of_folder("memory/read").name, "memory");
    EXPECT_LT(group_of_folder("memory/read").order, group_of_folder("start/first_byte").order);
    EXPECT_LT(group_of_folder("start/first_byte").order, Group::after_others);
}

TEST(GroupOfFolder, IsTheFirstFolderAfterAllOthersIfNoneIsKnown) {
    EXPECT_EQ(group_of_folder("memory_of/nobody"), (Group{"memory_of"})) << "only whole parts of the name count";
    EXPECT_EQ(group_of_folder("alone"), (Group{"alone"}));
    EXPECT_EQ(group_of_folder("a/new/one"), (Group{"a"}));
}

TEST(Tuning, HasTheGroupAndTheCostOfWhatIsTuned) {
    const Cost cost{.bytes = Handling::on_gpu, .programs = 3};
    const auto tuned = tuning({.benchmark = {.name = "memory/triad", .cost = cost}, .set_up = {}}, "triad", {});
    EXPECT_EQ(tuned.benchmark.name, "tune/triad");
    EXPECT_EQ(tuned.benchmark.group, group_of_folder("memory/triad"));
    EXPECT_EQ(tuned.benchmark.cost, cost);
    const auto other = tuning({.benchmark = {.name = "memory/x", .group = {"mine", 7}}, .set_up = {}}, "x", {});
    EXPECT_EQ(other.benchmark.group, (Group{"mine", 7}));
}

}  // namespace
}  // namespace tocuda
