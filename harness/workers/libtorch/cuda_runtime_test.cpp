// tocuda, Apache-2.0.
// Which mapped files are CUDA's, and where they are said to be.
#include "libtorch/cuda_runtime.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(CudaLibraries, AreThoseOfTheToolkitAndTheDriverOnly) {
    for (const auto* file : {"libcudart.so.13", "libcublasLt.so.13", "libcudnn_ops.so.9", "libnccl.so.2",
                             "libcuda.so.580.95.05", "libcudadebugger.so.1", "libnvidia-ml.so.1"})
        EXPECT_TRUE(is_cuda_library(file)) << file;
    for (const auto* file : {"libcurl.so.4", "libcudf.so", "libnvdxgdmal.so.1", "libnvrm_gpu.so", "libc.so.6"})
        EXPECT_FALSE(is_cuda_library(file)) << file;
}

TEST(CudaLibraries, HaveThePlaceThatTheirPathSays) {
    const std::string packages = "/venv/lib/python3.12/site-packages";
    EXPECT_EQ(place_of_path(packages + "/nvidia/cu13/lib/libcublas.so.13", packages), "with LibTorch");
    EXPECT_EQ(place_of_path("/venv/lib/python3.12/site-packages2/libcublas.so.13", packages), "elsewhere");
    EXPECT_EQ(place_of_path("/usr/local/cuda/lib64/libcublas.so.13", packages), "elsewhere");
    EXPECT_EQ(place_of_path("/usr/lib/wsl/lib/libcuda.so.1", packages), "driver");
    EXPECT_EQ(place_of_path("/usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.1", ""), "driver");
    EXPECT_EQ(place_of_path("/build/simulator/simulated/libcuda.so.1", packages), "stand-in");
}

}  // namespace
}  // namespace tocuda
