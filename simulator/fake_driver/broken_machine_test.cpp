// tocuda, Apache-2.0.
// What the environment variables make of the fake driver.
#include "fake_driver/broken_machine.hpp"

#include <gtest/gtest.h>

namespace tocuda::simulator {
namespace {

TEST(BrokenMachine, NeedsOnlyVersion) {
    const auto machine = BrokenMachine::of({.version = "11020"});
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->version, 11020);
    EXPECT_EQ(machine->answer_to_init, 0);
}

TEST(BrokenMachine, InitReturnsGivenCode) {
    EXPECT_EQ(BrokenMachine::of({.version = "13000", .init = "999"})->answer_to_init, 999);
}

TEST(BrokenMachine, InitFollowsVisibleDevices) {
    const auto answer = [](const char* gpus, BrokenMachine::Variable visible) {
        return BrokenMachine::of({.version = "13000", .gpus = gpus, .visible_devices = visible})->answer_to_init;
    };
    EXPECT_EQ(answer("1", std::nullopt), 0);
    EXPECT_EQ(answer("1", ""), 100);
    EXPECT_EQ(answer("1", "-1,0"), 100);
    EXPECT_EQ(answer("1", "0,-1"), 0);
    EXPECT_EQ(answer("1", "1"), 100);
    EXPECT_EQ(answer("2", "1"), 0);
    EXPECT_EQ(answer("1", "GPU-1"), 0);
    EXPECT_EQ(answer("1", "none"), 100);
}

TEST(BrokenMachine, IgnoresVisibleDevicesUnlessGpusAreGiven) {
    EXPECT_EQ(BrokenMachine::of({.version = "13000", .visible_devices = "-1"})->answer_to_init, 0);
}

TEST(BrokenMachine, RejectsAnythingButWholeNumbers) {
    EXPECT_FALSE(BrokenMachine::of({}));
    for (const char* text : {"", "new", "13000 ", "13000 init 3", "-5", "13000x"}) {
        EXPECT_FALSE(BrokenMachine::of({.version = text})) << text;
        EXPECT_FALSE(BrokenMachine::of({.version = "13000", .init = text})) << text;
        EXPECT_FALSE(BrokenMachine::of({.version = "13000", .gpus = text})) << text;
    }
}

}  // namespace
}  // namespace tocuda::simulator
