// tocuda, Apache-2.0.
// Errors whose cause is in the words behind them: a library after "Error:", that of the linker, what xformers says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "doctor/message/explain.hpp"

namespace tocuda::doctor {
namespace {

bool mentions(const Explanation& told, std::string_view words) {
    const auto has = [&](const std::string& each) { return each.find(words) != std::string::npos; };
    return has(told.meaning) || std::ranges::any_of(told.arithmetic, has) ||
           std::ranges::any_of(told.remedies, has, &Remedy::what);
}

TEST(ExplainReasons, NamesTheLibraryBehindTheOneThatDoesNotLoad) {
    const auto told = [](const std::string& behind) {
        return *explain("Could not load library libcudnn_cnn_infer.so.8. Error: " + behind);
    };
    const std::string missing = ": cannot open shared object file: No such file or directory\n";
    EXPECT_TRUE(mentions(told("libnvrtc.so.12" + missing), "pip install nvidia-cuda-nvrtc-cu12"));
    EXPECT_TRUE(mentions(told("libcublasLt.so.11" + missing), "pip install nvidia-cublas-cu11"));
    EXPECT_TRUE(mentions(told("libz.so.1" + missing), "libz.so.1 is not found"));
    EXPECT_EQ(told("libcudnn_ops_infer.so.8" + missing).error, "cuDNN not found");
    EXPECT_EQ(explain("Could not load library cudnn_cnn_infer64_8.dll. Error code 1455")->error,
              "page file of Windows too small");
    EXPECT_EQ(explain("Could not load library cudnn_cnn_infer64_8.dll. Error code 126")->error, "cuDNN not found");
}

TEST(ExplainReasons, NamesTheLibraryThatTheLinkerLacks) {
    EXPECT_TRUE(mentions(*explain("/usr/bin/ld: cannot find -lnccl: No such file"), "sudo apt install libnccl-dev"));
    EXPECT_TRUE(mentions(*explain("/usr/bin/ld: cannot find -lcublas\n"), "no libcublas.so"));
    EXPECT_TRUE(mentions(*explain("/usr/bin/ld: cannot find -lcuda\n"), "stub"));
}

TEST(ExplainReasons, TellsXformersReasonsApart) {
    const auto told = [](const std::string& reason) {
        return *explain(
            "No operator found for `memory_efficient_attention_forward` with inputs:\n`cutlassF` is not "
            "supported because:\n    " +
            reason + "\n");
    };
    EXPECT_EQ(told("device=cpu (supported: {'cuda'})").error, "xformers: tensors on the CPU");
    EXPECT_EQ(told("attn_bias.stride(-2) % 8 != 0").error, "xformers: attn_bias is misaligned");
    EXPECT_EQ(told("xFormers wasn't build with CUDA support").error, "xformers does not fit");
}

TEST(ExplainReasons, OfANearlyFullGpuSaysThatItIsFull) {
    const auto full = explain(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacity of 4.00 "
        "GiB "
        "of which 41.56 MiB is free. Including non-PyTorch memory, this process has 3.44 GiB memory in use. Of the "
        "allocated memory 3.36 GiB is allocated by PyTorch, and 11.60 MiB is reserved by PyTorch but unallocated.");
    ASSERT_TRUE(full);
    EXPECT_TRUE(mentions(*full, "the GPU is full"));
    EXPECT_FALSE(mentions(*full, "another limit"));
}

}  // namespace
}  // namespace tocuda::doctor
