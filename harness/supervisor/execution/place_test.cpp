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

TEST(WhereItIsMeasured, NamesTheChosenOfSeveralGpus) {
    Place place;
    place.available.device = Device::real;
    place.line.driver.kernel_module = "580.95";
    place.line.gpus = {{.index = 0, .uuid = "GPU-11111111-aaaa", .name = "H200"}};
    place.chosen = {0};
    EXPECT_EQ(where_it_is_measured(place), "on GPU 0: H200; driver 580.95");
    place.line.gpus.push_back({.index = 1, .uuid = "GPU-22222222-bbbb", .name = "H200"});
    place.chosen = {1};
    EXPECT_EQ(where_it_is_measured(place), "on GPU 1: H200 (GPU-22222222); driver 580.95");
    place.chosen = {1, 1, 0};
    EXPECT_EQ(where_it_is_measured(place),
              "on GPU 0: H200 (GPU-11111111); GPU 1: H200 (GPU-22222222), 2 processes; driver\n  580.95");
}

}  // namespace
}  // namespace tocuda
