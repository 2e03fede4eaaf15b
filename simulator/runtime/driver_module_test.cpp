// tocuda, Apache-2.0.
// Kernels of modules that a program loads at run time.
#include <cuda.h>

#include "runtime/graph_test.hpp"

namespace tocuda::simulator {
namespace {

constexpr const char* image = "//\n.version 8.0\n.target sm_80\n.visible .entry there(.param .u64 a) { ret; }\n";

TEST(DriverModule, KernelsAreLaunchedAndCounted) {
    on_machine(one_gpu, [] {
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
        EXPECT_EQ(cuModuleGetFunction(&function, module, "elsewhere"), CUDA_ERROR_NOT_FOUND);
        ASSERT_EQ(cuModuleGetFunction(&function, module, "there"), CUDA_SUCCESS);
        int blocks = 0;
        EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 0), CUDA_SUCCESS);
        EXPECT_GT(blocks, 0);
        void* nothing = nullptr;
        void* arguments[] = {&nothing};
        EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
        EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 4096, 1, 1, 0, nullptr, arguments, nullptr),
                  static_cast<CUresult>(cudaErrorInvalidConfiguration));
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        tocuda_simulation_state_t state{};
        state.version = 1;
        ASSERT_EQ(tocuda_simulation_state(&state), 0);
        EXPECT_EQ(state.kernels_launched, 1U);
        EXPECT_EQ(state.kernels_not_executed, 1U);
        EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
        EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    });
}

TEST(DriverModule, ArraysForTheCopyUnitCanBeDescribed) {
    on_machine(one_gpu, [] {
        const auto encode = [](CUtensorMap* map, cuuint32_t dimensions) {
            static float array[16];
            const cuuint64_t sizes[] = {16};
            const cuuint32_t box[] = {16}, strides[] = {1};
            return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, dimensions, array, sizes, sizes, box,
                                          strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        };
        CUtensorMap map{};
        EXPECT_EQ(encode(&map, 1), CUDA_SUCCESS);
        EXPECT_EQ(encode(&map, 6), CUDA_ERROR_INVALID_VALUE);
        EXPECT_EQ(encode(nullptr, 1), CUDA_ERROR_INVALID_VALUE);
    });
}

TEST(DriverModule, LibrariesHaveKernelsThatCanBeCaptured) {
    on_machine(one_gpu, [] {
        CUlibrary library = nullptr;
        CUkernel kernel = nullptr;
        CUfunction function = nullptr;
        ASSERT_EQ(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
        ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "there"), CUDA_SUCCESS);
        ASSERT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
        cudaStream_t stream = new_stream();
        const auto graph = captured(stream, [&] {
            ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr), CUDA_SUCCESS);
        });
        ASSERT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
        launch_and_wait(instantiated(graph), stream);
        EXPECT_EQ(node_count(graph), 1U);
    });
}

}  // namespace
}  // namespace tocuda::simulator
