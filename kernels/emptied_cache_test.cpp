// tocuda, Apache-2.0.
// How the L2 cache is emptied, on the CPU.
#include "kernels/emptied_cache.hpp"

#include <gtest/gtest.h>

#include "kernels/direct_runtime_test.hpp"

namespace tocuda {
namespace {

TEST(EmptiedCache, IsFilledAndThenReadThrough) {
    constexpr std::size_t l2_bytes = std::size_t{1} << 20;
    launches() = {};
    EmptiedCache(l2_bytes).empty(Stream());
    EXPECT_EQ(launches().filled, 2 * l2_bytes) << "twice what it holds";
    EXPECT_EQ(launches().count, 1U);
    EXPECT_TRUE(launches().last_was_launch) << "a fill leaves lines that a later miss must write back";
    EXPECT_EQ(launches().last.bytes_touched, 2 * l2_bytes);
    launches() = {};
}

}  // namespace
}  // namespace tocuda
