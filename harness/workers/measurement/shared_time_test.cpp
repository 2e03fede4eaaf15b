// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include <barrier>
#include <stdexcept>
#include <thread>

#include "measurement/threads.hpp"

namespace tocuda {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(SharedTime, WhatThreadsDoAtTheSameTimeCountsOnce) {
    double passed = 0;
    SharedTime time([&](double seconds) { passed += seconds; });
    std::barrier both(2);
    const auto work = [&] {
        time.spend([&] {
            both.arrive_and_wait();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            both.arrive_and_wait();
        });
    };
    const auto began = std::chrono::steady_clock::now();
    std::thread other(work);
    work();
    other.join();
    EXPECT_LE(passed, Seconds(std::chrono::steady_clock::now() - began).count());
    EXPECT_GE(passed, 0.02);
}

TEST(SharedTime, WhatIsDoneOneAfterTheOtherAddsUpAndTheRestDoesNotCount) {
    double passed = 0;
    SharedTime time([&](double seconds) { passed += seconds; });
    const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };
    double within = 0;
    for (int i = 0; i < 3; ++i) {
        const auto began = std::chrono::steady_clock::now();
        time.spend(sleep);
        within += Seconds(std::chrono::steady_clock::now() - began).count();
        sleep();
    }
    EXPECT_GE(passed, 0.03);
    EXPECT_LE(passed, within);
}

TEST(SharedTime, EndsIfTheWorkThrows) {
    double passed = 0;
    SharedTime time([&](double seconds) { passed += seconds; });
    EXPECT_THROW(time.spend([] { throw std::runtime_error("no"); }), std::runtime_error);
    const double before = passed;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto began = std::chrono::steady_clock::now();
    time.spend([] {});
    EXPECT_LE(passed - before, Seconds(std::chrono::steady_clock::now() - began).count()) << "nobody worked before";
}

}  // namespace
}  // namespace tocuda
