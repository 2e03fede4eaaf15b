// tocuda, Apache-2.0.
#include "benchmarks/copy/host_memory_load.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace tocuda {
namespace {

void sleep_for(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

TEST(HostMemoryLoad, RunsWhileSomethingIsTimed) {
    HostMemoryLoad load(2);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(load.outlasts([] { sleep_for(std::chrono::milliseconds(200)); }));
}

TEST(HostMemoryLoad, IsGivenRealTimeBesideVirtualTime) {
    HostMemoryLoad load(2);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(load.outlasts([] {}, false));
}

TEST(HostMemoryLoad, EndsIfWhatIsTimedThrows) {
    HostMemoryLoad load(1);
    EXPECT_THROW(load.outlasts([] { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_TRUE(load.outlasts([] {}, false)) << "and can be used again";
}

}  // namespace
}  // namespace tocuda
