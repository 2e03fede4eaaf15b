// tocuda, Apache-2.0.
#include "harness/supervisor/execution/place.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace tocuda {
namespace {

TEST(VisibleGpus, FirstOfNoneIsNamedByItsNumber) {
    EXPECT_EQ(Place{}.visible({0}), "0") << "a real run on a machine without a GPU skips, but plans";
}

TEST(VisibleGpus, AMigInstanceIsNamedByItsUuid) {
    Place place;
    place.line.gpus = {{.index = 0, .uuid = "GPU-a"}, {.index = 1, .uuid = "MIG-b"}};
    EXPECT_EQ(place.visible({0}), "0");
    EXPECT_EQ(place.visible({1}), "MIG-b");
    EXPECT_EQ(place.visible({0, 1}), std::nullopt) << "all of them";
}

}  // namespace
}  // namespace tocuda
