// tocuda, Apache-2.0.
#include "comparison_input/run_fields.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

template <class Part, class List>
void expect_words(const std::string& place, const Part& part, const List& list) {
    for_each_field(part, list,
                   [&](const char* field, const auto&) { EXPECT_NE(field_words(place + field), place + field); });
}

TEST(RunFields, EachHasWords) {
    expect_words("driver.", Driver{}, driver_fields);
    expect_words("cuda.", Cuda{}, cuda_fields);
    expect_words("libtorch.", LibTorch{}, libtorch_fields);
    expect_words("machine.", Machine{}, machine_fields);
    expect_words("gpus.", Gpu{}, gpu_fields);
}

TEST(RunFields, KeepTheirNameWhereTheyHaveNoWords) { EXPECT_EQ(field_words("driver.colour"), "driver.colour"); }

}  // namespace
}  // namespace tocuda
