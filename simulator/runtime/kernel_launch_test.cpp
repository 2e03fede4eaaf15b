// tocuda, Apache-2.0.
// Launches on the simulated GPUs: what is checked, what a host build computes, what is only counted.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/on_machine_test.hpp"
#include "simulator/schema/counts.hpp"
#include "simulator/schema/simulation.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* function, char* device_function, const char* name, int limit,
                            uint3* thread, uint3* block, dim3* block_shape, dim3* grid_shape, int* warp);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream);
}

namespace tocuda::simulator {
namespace {

char function_of_library = 0;  // its address identifies the kernel

// Registers one kernel as a program compiled for these architectures would.
void register_library_kernel(std::vector<std::uint32_t> machine_code, std::vector<std::uint32_t> intermediate_code) {
    auto* bytes = new std::vector<unsigned char>(16);
    const auto add = [&](std::uint16_t kind, std::uint32_t architecture) {
        std::vector<unsigned char> entry(64 + 8, 0);
        const std::uint32_t header_bytes = 64;
        const std::uint64_t payload_bytes = 8;
        std::memcpy(entry.data(), &kind, 2);
        std::memcpy(entry.data() + 4, &header_bytes, 4);
        std::memcpy(entry.data() + 8, &payload_bytes, 8);
        std::memcpy(entry.data() + 28, &architecture, 4);
        bytes->insert(bytes->end(), entry.begin(), entry.end());
    };
    for (const auto architecture : machine_code) add(2, architecture);
    for (const auto architecture : intermediate_code) add(1, architecture);
    const std::uint32_t magic = 0xba55ed50;
    const std::uint16_t header_bytes = 16;
    const std::uint64_t payload_bytes = bytes->size() - 16;
    std::memcpy(bytes->data(), &magic, 4);
    std::memcpy(bytes->data() + 6, &header_bytes, 2);
    std::memcpy(bytes->data() + 8, &payload_bytes, 8);
    struct Wrapper {
        std::uint32_t magic = 0x466243b1;
        std::uint32_t version = 1;
        const void* data = nullptr;
        const void* more = nullptr;
    };
    auto* wrapper = new Wrapper;
    wrapper->data = bytes->data();
    void** handle = __cudaRegisterFatBinary(wrapper);
    __cudaRegisterFunction(handle, &function_of_library, nullptr, "library_kernel", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
}

cudaError_t launch_library_kernel(dim3 grid = {1}, dim3 block = {32}, std::size_t shared_bytes = 0) {
    void* arguments[] = {nullptr};
    return cudaLaunchKernel(&function_of_library, grid, block, arguments, shared_bytes, nullptr);
}

tocuda_simulation_state_t state() {
    tocuda_simulation_state_t state{};
    state.version = 1;
    EXPECT_EQ(tocuda_simulation_state(&state), 0);
    return state;
}

SimulatedMachine gpu_of(int major, int minor) {
    auto machine = one_gpu;
    machine.gpus.front().compute_major = major;
    machine.gpus.front().compute_minor = minor;
    return machine;
}

TEST(Launch, OfLibraryKernelCountsAsNotExecuted) {
    on_machine(gpu_of(9, 0), [] {
        register_library_kernel({80, 90}, {});
        EXPECT_EQ(launch_library_kernel(), cudaSuccess);
        EXPECT_EQ(state().kernels_launched, 1U);
        EXPECT_EQ(state().kernels_not_executed, 1U);
    });
}

TEST(Launch, CopyDoesNotChangeCount) {
    on_machine(one_gpu, [] {
        void* device = nullptr;
        char byte = 1;
        ASSERT_EQ(cudaMalloc(&device, 1), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(device, &byte, 1, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(state().kernels_not_executed, 0U);
    });
}

TEST(Launch, FailsWithoutCodeForGpuButCopySucceeds) {
    on_machine(gpu_of(7, 0), [] {
        register_library_kernel({75, 80, 90}, {90});
        void* device = nullptr;
        char byte = 1;
        ASSERT_EQ(cudaMalloc(&device, 1), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(device, &byte, 1, cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(launch_library_kernel(), cudaErrorNoKernelImageForDevice);
        EXPECT_EQ(state().kernels_launched, 0U);
    });
}

TEST(Launch, AcceptsMachineCodeOfLowerMinorAndOlderPtx) {
    on_machine(gpu_of(8, 9), [] {
        register_library_kernel({80}, {});
        EXPECT_EQ(launch_library_kernel(), cudaSuccess);
    });
    on_machine(gpu_of(12, 0), [] {
        register_library_kernel({80, 90}, {90});
        EXPECT_EQ(launch_library_kernel(), cudaSuccess);
    });
    on_machine(gpu_of(8, 0), [] {
        register_library_kernel({86}, {});
        EXPECT_EQ(launch_library_kernel(), cudaErrorNoKernelImageForDevice);
    });
}

TEST(Launch, IgnoresMachineCodeIfTold) {
    ::setenv("CUDA_FORCE_PTX_JIT", "1", 1);
    on_machine(gpu_of(9, 0), [] {
        register_library_kernel({90}, {});
        EXPECT_EQ(launch_library_kernel(), cudaErrorNoKernelImageForDevice);
    });
    on_machine(gpu_of(9, 0), [] {
        register_library_kernel({90}, {80});
        EXPECT_EQ(launch_library_kernel(), cudaSuccess);
    });
    ::unsetenv("CUDA_FORCE_PTX_JIT");
}

TEST(Launch, RefusesImpossibleShapes) {
    on_machine(gpu_of(9, 0), [] {
        register_library_kernel({90}, {});
        EXPECT_EQ(launch_library_kernel({0}), cudaErrorInvalidConfiguration);
        EXPECT_EQ(launch_library_kernel({1}, {1025}), cudaErrorInvalidConfiguration);
        EXPECT_EQ(launch_library_kernel({1, 65536}), cudaErrorInvalidConfiguration);
        EXPECT_EQ(launch_library_kernel({1}, {32}, 49153), cudaErrorInvalidValue);
        ASSERT_EQ(cudaFuncSetAttribute(&function_of_library, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536),
                  cudaSuccess);
        EXPECT_EQ(launch_library_kernel({1}, {32}, 49153), cudaSuccess);
        char unknown = 0;
        EXPECT_EQ(cudaLaunchKernel(&unknown, {1}, {1}, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
    });
}

TEST(Launch, OccupancyFollowsProfile) {
    const Figures figures{{&GpuFigures::threads_per_multiprocessor, 1536},
                          {&GpuFigures::blocks_per_multiprocessor, 16},
                          {&GpuFigures::shared_per_multiprocessor, 102400}};
    on_machine(with(gpu_of(9, 0), figures), [] {
        register_library_kernel({90}, {});
        const auto blocks = [](int threads, std::size_t shared_bytes) {
            int count = -1;
            EXPECT_EQ(
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, &function_of_library, threads, shared_bytes),
                cudaSuccess);
            return count;
        };
        EXPECT_EQ(blocks(1024, 0), 1);
        EXPECT_EQ(blocks(512, 0), 3);
        EXPECT_EQ(blocks(32, 0), 16);
        EXPECT_EQ(blocks(32, 24000), 4);
    });
}

// A kernel that the host has a build of: adds a number to every element.
void add(void* const* arguments, const tocuda_launch* shape) {
    auto* data = *static_cast<int**>(arguments[0]);
    const int number = *static_cast<int*>(arguments[1]);
    for (unsigned i = 0; i < shape->grid[0] * shape->block[0]; ++i) data[i] += number;
}

constexpr std::size_t add_arguments[] = {sizeof(int*), sizeof(int)};

TEST(Launch, OfHostBuildComputesInStreamOrder) {
    on_machine(one_gpu, [] {
        static char function = 0;
        tocuda_host_kernel kernel{};
        kernel.version = 1;
        kernel.function = &function;
        kernel.name = "add";
        kernel.arguments = 2;
        kernel.argument_bytes = add_arguments;
        kernel.run = add;
        ASSERT_EQ(tocuda_simulation_host_kernel(&kernel), 0);
        void* device = nullptr;
        ASSERT_EQ(cudaMalloc(&device, 8 * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemset(device, 0, 8 * sizeof(int)), cudaSuccess);
        int number = 5;
        void* arguments[] = {&device, &number};
        ASSERT_EQ(cudaLaunchKernel(&function, {2}, {4}, arguments, 0, nullptr), cudaSuccess);
        number = 100;  // the launch has its own copy
        ASSERT_EQ(cudaLaunchKernel(&function, {1}, {1}, arguments, 0, nullptr), cudaSuccess);
        std::vector<int> back(8);
        ASSERT_EQ(cudaMemcpy(back.data(), device, 8 * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(back, (std::vector<int>{105, 5, 5, 5, 5, 5, 5, 5}));
        EXPECT_EQ(state().kernels_launched, 2U);
        EXPECT_EQ(state().kernels_not_executed, 0U);
    });
}

TEST(Launch, FindsHostBuildByName) {
    on_machine(gpu_of(9, 0), [] {
        register_library_kernel({90}, {});
        static std::atomic<int> runs = 0;
        tocuda_host_kernel kernel{};
        kernel.version = 1;
        kernel.name = "library_kernel";
        kernel.run = [](void* const*, const tocuda_launch*) { ++runs; };
        ASSERT_EQ(tocuda_simulation_host_kernel(&kernel), 0);
        cudaKernel_t handle = nullptr;
        ASSERT_EQ(__cudaGetKernel(&handle, &function_of_library), cudaSuccess);
        EXPECT_EQ(__cudaLaunchKernel(handle, {1}, {1}, nullptr, 0, nullptr), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(runs, 1);
        EXPECT_EQ(state().kernels_not_executed, 0U);
    });
}

TEST(Launch, NotComputedIsNamedAsInItsSource) {
    on_machine(one_gpu, [] {
        tocuda_simulation_not_executed("_ZN2at6native12_GLOBAL__N_15addedIfEEvPT_i");
        tocuda_simulation_not_executed("ampere_sgemm_32x32");
        const auto& counts = *static_cast<SharedCounts*>(tocuda_simulation_counts());
        EXPECT_STREQ(counts.not_computed[0].name.data(), "at::native::added");
        EXPECT_STREQ(counts.not_computed[1].name.data(), "ampere_sgemm_32x32");
    });
}

std::atomic<int> flag = 0;

void register_gate(const void* function) {
    tocuda_host_kernel kernel{};
    kernel.version = 1;
    kernel.function = function;
    kernel.run = [](void* const*, const tocuda_launch*) {};
    kernel.ready = [](void* const*, const tocuda_launch*) { return flag.load(); };
    EXPECT_EQ(tocuda_simulation_host_kernel(&kernel), 0);
}

TEST(Launch, PolledFlagBlocksOnlyItsStream) {
    on_machine(one_gpu, [] {
        static char gate = 0;
        register_gate(&gate);
        cudaStream_t held = nullptr;
        cudaStream_t other = nullptr;
        ASSERT_EQ(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking), cudaSuccess);
        ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
        ASSERT_EQ(cudaLaunchKernel(&gate, {1}, {1}, nullptr, 0, held), cudaSuccess);
        EXPECT_EQ(cudaStreamQuery(held), cudaErrorNotReady);
        EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
        std::thread opener([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            flag = 1;
        });
        EXPECT_EQ(cudaStreamSynchronize(held), cudaSuccess);
        EXPECT_EQ(flag, 1) << "the wait ended before the flag was set";
        opener.join();
    });
}

// The flag is never set, so this call hangs, as it would on a GPU; the alarm ends it.
TEST(Launch, FreeingMemoryBehindAClosedGateHangs) {
    const int status = status_on_machine(one_gpu, [] {
        static char gate = 0;
        register_gate(&gate);
        void* device = nullptr;
        if (cudaMalloc(&device, 1) != cudaSuccess) return;
        if (cudaLaunchKernel(&gate, {1}, {1}, nullptr, 0, nullptr) != cudaSuccess) return;
        ::alarm(1);
        cudaFree(device);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGALRM);
}

}  // namespace
}  // namespace tocuda::simulator
