// tocuda, Apache-2.0.
// Error texts of LibTorch and the CUDA runtime, and which parts of them are compared.
#include "comparison_input/error_text.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(ErrorText, IsHeldByMessagesAndWarnings) {
    for (const auto* key :
         {"move.message", "to(cuda:0).message", "is_available.warning", "message", "read_only.warnings"})
        EXPECT_TRUE(holds_error_text(key)) << key;
    for (const auto* key : {"move.type", "move.code", "messages", "move.threw", "message.seen", ""})
        EXPECT_FALSE(holds_error_text(key)) << key;
}

void expect_alike(const std::string& left, const std::string& right) {
    EXPECT_EQ(without_particulars(left), without_particulars(right));
}
void expect_different(const std::string& left, const std::string& right) {
    EXPECT_NE(without_particulars(left), without_particulars(right));
}

TEST(ErrorText, IgnoresAmounts) {
    expect_alike("Tried to allocate 1.95 GiB. GPU 0 has 79.10 GiB", "Tried to allocate 512.00 MiB. GPU 3 has 7.8 GiB");
    expect_alike("of the allocated memory 0 bytes is", "of the allocated memory 1.20 MiB is");
    expect_different("Tried to allocate 1.95 GiB", "Could not allocate 1.95 GiB");
    expect_different("12 of them", "12 bytes of them");
}

TEST(ErrorText, IgnoresAddressesAndIdentities) {
    expect_alike("at 0x7f3a1c000000 in process 4711", "at 0x55d0 in process 9");
    expect_alike("GPU-70c0da00-0000-4000-8000-00000000000a is lost",
                 "GPU-1234abcd-9999-4fff-8123-0123456789ab is lost");
}

TEST(ErrorText, IgnoresFoldersButNotFileNames) {
    expect_alike("/tmp/tocuda.x1/libcuda.so.1: cannot open", "/usr/lib/libcuda.so.1: cannot open");
    expect_different("/usr/lib/libcuda.so.1: cannot open", "/usr/lib/libcudart.so.1: cannot open");
    expect_different("see https://docs.nvidia.com/one/page", "see https://docs.nvidia.com/other/page");
}

TEST(ErrorText, LeavesWordsUnchanged) {
    for (const auto* text : {"CUDA error: out of memory", "an illegal memory access was encountered",
                             "as_strided: Negative strides", "", "deadbeef bad face"})
        EXPECT_EQ(without_particulars(text), text);
    // A name that contains a number stays a name.
    EXPECT_EQ(without_particulars("sm_90 float32 x86"), "sm_90 float32 x86");
}

}  // namespace
}  // namespace tocuda
