// tocuda, Apache-2.0.
// What others do to a GPU: memory that is taken, reclaimed, limited or spills, and who may use it.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

SimulatedMachine under(const GpuConditions& conditions) {
    auto machine = one_gpu;
    static_cast<GpuConditions&>(machine.gpus.front()) = conditions;
    return machine;
}

constexpr auto mebibytes(std::int64_t count) { return count << 20; }

cudaError_t takes(std::size_t bytes) {
    void* pointer = nullptr;
    return cudaMalloc(&pointer, bytes);
}

std::size_t total_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return total;
}

TEST(Conditions, MemoryThatOthersUseIsNotFree) {
    on_machine(under({.occupied_bytes = mebibytes(300)}), [] {
        EXPECT_EQ(total_bytes(), 1024 * MiB);
        EXPECT_EQ(free_bytes(), 724 * MiB);
        EXPECT_EQ(takes(725 * MiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(takes(724 * MiB), cudaSuccess);
        EXPECT_EQ(free_bytes(), 0U);
    });
}

TEST(Conditions, ReclaimableMemoryIsGivenWhenNeededAndThenStaysFree) {
    on_machine(under({.reclaimable_bytes = mebibytes(600)}), [] {
        EXPECT_EQ(free_bytes(), 424 * MiB);
        void* pointer = nullptr;
        ASSERT_EQ(cudaMalloc(&pointer, 524 * MiB), cudaSuccess);
        EXPECT_EQ(free_bytes(), 0U);
        ASSERT_EQ(cudaFree(pointer), cudaSuccess);
        EXPECT_EQ(free_bytes(), 524 * MiB);
        EXPECT_EQ(takes(1026 * MiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(takes(1024 * MiB), cudaSuccess);
    });
}

TEST(Conditions, FullMemorySpillsIntoTheHosts) {
    on_machine(under({.occupied_bytes = mebibytes(24), .spill_bytes = mebibytes(500)}), [] {
        EXPECT_EQ(free_bytes(), 1000 * MiB);
        EXPECT_EQ(takes(1200 * MiB), cudaSuccess);
        EXPECT_EQ(free_bytes(), 0U);
        EXPECT_EQ(total_bytes(), 1024 * MiB);
        EXPECT_EQ(takes(302 * MiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(takes(300 * MiB), cudaSuccess);
    });
}

TEST(Conditions, LimitOfAProcessIsItsTotalButNotTheGpus) {
    on_machine(under({.memory_limit_bytes = mebibytes(256)}), [] {
        EXPECT_EQ(total_bytes(), 256 * MiB);
        EXPECT_EQ(free_bytes(), 256 * MiB);
        cudaDeviceProp properties{};
        ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
        EXPECT_EQ(properties.totalGlobalMem, 1024 * MiB);
        EXPECT_EQ(takes(258 * MiB), cudaErrorMemoryAllocation);
        EXPECT_EQ(takes(256 * MiB), cudaSuccess);
    });
}

TEST(Conditions, LimitOfAProcessIsNoPromise) {
    on_machine(under({.occupied_bytes = mebibytes(1000), .memory_limit_bytes = mebibytes(256)}),
               [] { EXPECT_EQ(free_bytes(), 24 * MiB); });
}

TEST(Conditions, MigInstanceIsFoundByItsOwnUuid) {
    ::setenv("CUDA_VISIBLE_DEVICES", "MIG-70c0da00", 1);
    on_machine(under({.mig = 1}), [] {
        int count = 0;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
        EXPECT_EQ(count, 1);
    });
    ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(Conditions, MigInstanceHasAnotherUuidThanItsGpuForOlderPrograms) {
    on_machine(under({.mig = 1}), [] {
        void* function = nullptr;
        ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuDeviceGetUuid", &function, 9020, cudaEnableDefault, nullptr),
                  cudaSuccess);
        CUuuid whole{};
        CUuuid part{};
        ASSERT_EQ(reinterpret_cast<CUresult (*)(CUuuid*, CUdevice)>(function)(&whole, 0), CUDA_SUCCESS);
        ASSERT_EQ(cuDeviceGetUuid(&part, 0), CUDA_SUCCESS);
        EXPECT_NE(std::memcmp(whole.bytes, part.bytes, sizeof part.bytes), 0);
    });
}

TEST(Conditions, PinnedMemoryThatDoesNotFitAnswersAsTheDriverOfTheMachine) {
    auto machine = under({.host_alloc_error = cudaErrorInvalidValue});
    machine.host_memory_bytes = mebibytes(16);
    on_machine(machine, [] {
        void* pointer = nullptr;
        EXPECT_EQ(cudaHostAlloc(&pointer, 32 * MiB, cudaHostAllocDefault), cudaErrorInvalidValue);
        EXPECT_EQ(cudaHostAlloc(&pointer, 8 * MiB, cudaHostAllocDefault), cudaSuccess);
    });
}

TEST(Conditions, DriverWithoutVirtualMemoryDoesNotSupportIt) {
    on_machine(with(one_gpu, {{&GpuFigures::virtual_memory, 0}}), [] {
        CUdeviceptr address = 0;
        EXPECT_EQ(cuMemAddressReserve(&address, 64 * MiB, 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
        CUmemAllocationProp properties{};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        CUmemGenericAllocationHandle handle = 0;
        EXPECT_EQ(cuMemCreate(&handle, 2 * MiB, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
    });
}

// Whether another process can use GPU 0 of this one's machine.
cudaError_t in_another_process(cudaError_t (*use)()) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(static_cast<int>(use()));
    int status = -1;
    ::waitpid(child, &status, 0);
    return static_cast<cudaError_t>(WEXITSTATUS(status));
}

cudaError_t makes_context() { return cudaFree(nullptr); }

// Each child has a simulation of its own, because this process never starts one.
TEST(Conditions, ExclusiveGpuBelongsToTheProcessThatUsesIt) {
    const MachineFile file(with(one_gpu, {{&GpuFigures::compute_mode, cudaComputeModeExclusiveProcess}}));
    ::setenv("TOCUDA_SIMULATION", file.path(), 1);
    int ready[2];
    int go_on[2];
    ASSERT_EQ(::pipe(ready) + ::pipe(go_on), 0);
    const pid_t owner = ::fork();
    if (owner == 0) {
        const char result = static_cast<char>(makes_context());
        char ignored = 0;
        if (::write(ready[1], &result, 1) != 1 || ::read(go_on[0], &ignored, 1) != 1) ::_exit(1);
        ::_exit(0);
    }
    char first = -1;
    ASSERT_EQ(::read(ready[0], &first, 1), 1);
    EXPECT_EQ(first, cudaSuccess);
    EXPECT_EQ(in_another_process(makes_context), cudaErrorDevicesUnavailable);
    EXPECT_EQ(in_another_process([] {
                  CUcontext context = nullptr;
                  return static_cast<cudaError_t>(cuDevicePrimaryCtxRetain(&context, 0));
              }),
              cudaErrorDevicesUnavailable);
    EXPECT_EQ(in_another_process([] {
                  cudaDeviceProp properties{};
                  return cudaGetDeviceProperties(&properties, 0);
              }),
              cudaSuccess);
    ASSERT_EQ(::write(go_on[1], "x", 1), 1);
    ::waitpid(owner, nullptr, 0);
    EXPECT_EQ(in_another_process(makes_context), cudaSuccess);
    ::unsetenv("TOCUDA_SIMULATION");
}

TEST(Conditions, ExclusiveGpuIsFreeAfterItsReset) {
    on_machine(with(one_gpu, {{&GpuFigures::compute_mode, cudaComputeModeExclusiveProcess}}), [] {
        ASSERT_EQ(makes_context(), cudaSuccess);
        ASSERT_EQ(makes_context(), cudaSuccess);
        ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
        ASSERT_EQ(makes_context(), cudaSuccess);
    });
}

TEST(Conditions, ProhibitedGpuIsUsedByNobody) {
    on_machine(with(one_gpu, {{&GpuFigures::compute_mode, cudaComputeModeProhibited}}),
               [] { EXPECT_EQ(makes_context(), cudaErrorDevicesUnavailable); });
}

}  // namespace
}  // namespace tocuda::simulator
