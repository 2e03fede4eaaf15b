// tocuda, Apache-2.0.
// Tests that the companion runs at the same time as the caller and that exceptions of either are rethrown.
#include "transfers/companion.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace tocuda {
namespace {

// Each waits for the other, so the test ends only if both run at once.
TEST(Companion, RunsBothTasksAtOnce) {
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

TEST(Companion, RethrowsCompanionExceptions) {
    Companion companion;
    EXPECT_EQ(thrown_by(companion, fails, fine), "failed");
    EXPECT_EQ(thrown_by(companion, fine, fine), "");
}

TEST(Companion, RethrowsCallerExceptionsAfterCompanionEnds) {
    Companion companion;
    std::atomic<bool> through{false};
    EXPECT_EQ(thrown_by(companion, [&] { through = true; }, fails), "failed");
    EXPECT_TRUE(through);
}

}  // namespace
}  // namespace tocuda
