// tocuda, Apache-2.0.
// Tests which errors mean that the machine lacks something.
#include "libtorch/shortage.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace tocuda {
namespace {

std::string lacked_by(const std::function<void()>& throws) {
    try {
        throws();
    } catch (...) {
        return lacked_by_this_exception();
    }
    return "nothing was thrown";
}

TEST(Shortage, NamesTheMemoryThatWasFree) {
    EXPECT_EQ(lacked_memory("CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 15.77 GiB "
                            "of which 84.50 MiB is free. Process 12 has 15.60 GiB memory in use."),
              "the GPU's memory did not suffice to begin: 84.50 MiB of 15.77 GiB was free");
}

TEST(Shortage, ACapOfTheScenarioIsNone) {
    const std::string capped =
        "CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 15.77 GiB of which 14.00 GiB "
        "is free. 64.00 MiB allowed; Of the allocated memory";
    EXPECT_EQ(lacked_memory(capped), "");
}

TEST(Shortage, UnderACapTheGpuMayBeFullAllTheSame) {
    EXPECT_NE(
        lacked_memory("CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has a total capacity of 15.77 GiB of "
                      "which 512 bytes is free. 1.00 GiB allowed; Of the allocated memory"),
        "");
}

TEST(Shortage, OtherErrorsAreNone) {
    EXPECT_EQ(lacked_by([] { throw std::runtime_error("out of memory"); }), "");
    EXPECT_EQ(lacked_by([] { TORCH_CHECK(false, "no such operator"); }), "");
}

TEST(Shortage, AnErrorOfTheRuntimeIsKnownByItsCode) {
    const auto with = [](int code) {
        return lacked_by([code] {
            throw c10::AcceleratorError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, code, "CUDA error");
        });
    };
    EXPECT_EQ(with(46), "the GPU accepts no further process (error 46)");
    EXPECT_EQ(with(801), "this GPU or its driver does not support it (error 801)");
    EXPECT_TRUE(with(209).starts_with("this LibTorch has no kernels for compute capability ")) << with(209);
    EXPECT_EQ(with(719), "");
}

TEST(Shortage, AnUnsupportedFunctionOfTheDriverIsKnownByItsText) {
    EXPECT_NE(lacked_by([] { TORCH_CHECK(false, "CUDA driver error: operation not supported"); }), "");
}

TEST(Shortage, WhatNeedsNoMemoryLacksNone) { EXPECT_EQ(lacking({.gpus = 1}), ""); }

}  // namespace
}  // namespace tocuda
