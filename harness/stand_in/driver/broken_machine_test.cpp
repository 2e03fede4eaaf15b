// tocuda, Apache-2.0.
// What TOCUDA_DRIVER makes of the broken machine's driver.
#include "driver/broken_machine.hpp"

#include <gtest/gtest.h>

namespace tocuda::stand_in {
namespace {

TEST(BrokenMachine, IsAVersionAlone) {
    const auto machine = BrokenMachine::parse("11020", std::nullopt);
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->version, 11020);
    EXPECT_EQ(machine->answer_to_init, 0);
}

TEST(BrokenMachine, AnswersItsCode) { EXPECT_EQ(BrokenMachine::parse("13000 init 999", std::nullopt)->answer_to_init, 999); }

TEST(BrokenMachine, AnswersWhatTheVisibleDevicesLeave) {
    EXPECT_EQ(BrokenMachine::parse("13000 visible", std::nullopt)->answer_to_init, 0);
    EXPECT_EQ(BrokenMachine::parse("13000 visible", "")->answer_to_init, 100);
    EXPECT_EQ(BrokenMachine::parse("13000 visible", "-1,0")->answer_to_init, 100);
    EXPECT_EQ(BrokenMachine::parse("13000 visible", "0,-1")->answer_to_init, 0);
    EXPECT_EQ(BrokenMachine::parse("13000 visible", "1")->answer_to_init, 100);
    EXPECT_EQ(BrokenMachine::parse("13000 visible 2", "1")->answer_to_init, 0);
    EXPECT_EQ(BrokenMachine::parse("13000 visible", "GPU-1")->answer_to_init, 0);
    EXPECT_EQ(BrokenMachine::parse("13000 visible", "none")->answer_to_init, 100);
}

TEST(BrokenMachine, IsNotUnderstoodOtherwise) {
    for (const char* text : {"", "new", "13000 init", "13000 init x", "13000 broken", "13000 init 3 4", "-5", "13000 visible x"}) {
        EXPECT_FALSE(BrokenMachine::parse(text, std::nullopt)) << text;
    }
}

}  // namespace
}  // namespace tocuda::stand_in
