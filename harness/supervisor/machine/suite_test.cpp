// tocuda, Apache-2.0.
// The commit is known, or the reason is recorded.
#include "machine/suite.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(Suite, HasAVersion) {
    std::vector<Unavailable> unavailable;
    EXPECT_NE(this_suite(unavailable).version, "");
}

TEST(Suite, HasACommitOrAReason) {
    std::vector<Unavailable> unavailable;
    const auto suite = this_suite(unavailable);
    if (suite.commit) EXPECT_EQ(suite.commit->size(), 40u);
    else EXPECT_EQ(unavailable.at(0).field, "suite.commit");
}

}  // namespace
}  // namespace tocuda
