// tocuda, Apache-2.0.
// A companion does its task at the same time as the caller, and what either throws comes out.
#include "transfers/companion.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace tocuda {
namespace {

// Each waits for the other: it ends only where both go on at once.
TEST(Companion, BothGoOnAtOnce) {
    Companion companion;
    for (int time = 0; time < 20; ++time) {
        std::atomic<int> there{0};
        const auto meet = [&] {
            ++there;
            while (there < 2) std::this_thread::yield();
        };
        companion.during(meet, meet);
        EXPECT_EQ(there, 2);
    }
}

std::string thrown_by(Companion& companion, const std::function<void()>& one, const std::function<void()>& other) {
    try {
        companion.during(one, other);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

const auto fine = [] {};
const auto fails = [] { throw std::runtime_error("failed"); };

TEST(Companion, WhatItThrowsIsThrown) {
    Companion companion;
    EXPECT_EQ(thrown_by(companion, fails, fine), "failed");
    EXPECT_EQ(thrown_by(companion, fine, fine), "");
}

TEST(Companion, WhatTheCallerThrowsIsThrownOnceTheCompanionIsThrough) {
    Companion companion;
    std::atomic<bool> through{false};
    EXPECT_EQ(thrown_by(companion, [&] { through = true; }, fails), "failed");
    EXPECT_TRUE(through);
}

}  // namespace
}  // namespace tocuda
