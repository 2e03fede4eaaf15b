// tocuda, Apache-2.0.
#include "printing/stand_in_words.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(StandInWords, AreThoseOfAStranger) {
    EXPECT_EQ(stand_in_words("driver 13000 init 100"), "a fake driver: version 13.0, cuInit answers 100 (no device)");
    EXPECT_EQ(stand_in_words("driver 13000 init 7"), "a fake driver: version 13.0, cuInit answers 7");
    EXPECT_EQ(stand_in_words("driver 12080"), "a fake driver: version 12.8");
    EXPECT_EQ(stand_in_words("driver 13000 visible 4"), "a fake driver: version 13.0, obeys CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(stand_in_words("driver absent"), "no driver (libcuda.so.1 cannot be loaded)");
    EXPECT_EQ(stand_in_words("runtime 2x8GiB"), "SIMULATED 2x8GiB");
    EXPECT_EQ(stand_in_words("recorder"), "with the recorder");
    EXPECT_EQ(stand_in_words("fault cudaMalloc 3 2"), "fault cudaMalloc 3 2");
}

}  // namespace
}  // namespace tocuda
