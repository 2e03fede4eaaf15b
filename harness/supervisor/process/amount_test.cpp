// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "process/watched_child.hpp"

namespace tocuda {
namespace {

TEST(Amount, UsesLargestUnitThatFits) {
    EXPECT_EQ(amount_of_bytes(1000), "1000 bytes");
    EXPECT_EQ(amount_of_bytes(200 << 20), "200 MiB");
    EXPECT_EQ(amount_of_bytes(std::int64_t{3} << 29), "1.5 GiB");
}

}  // namespace
}  // namespace tocuda
