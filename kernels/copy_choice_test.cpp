// tocuda, Apache-2.0.
// The operation chosen for a copy, by size and cache.
#include "kernels/copy_choice.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

const GpuFacts h200{.multiprocessors = 132, .l2_bytes = std::size_t{60} << 20};

TEST(CopyOperation, SmallCopiesAreSpreadOverTheGpu) {
    EXPECT_EQ(copy_operation(h200, 0), "copy_small");
    EXPECT_EQ(copy_operation(h200, 1 << 20), "copy_small");
    EXPECT_EQ(copy_operation(h200, 132 * 2 * 32768 - 1), "copy_small");
    EXPECT_EQ(copy_operation(h200, 132 * 2 * 32768), "copy_cached");
}

TEST(CopyOperation, CopiesThatFitIntoTheCacheMayStayThere) {
    EXPECT_EQ(copy_operation(h200, std::size_t{30} << 20), "copy_cached");
    EXPECT_EQ(copy_operation(h200, (std::size_t{30} << 20) + 1), "copy");
}

}  // namespace
}  // namespace tocuda
