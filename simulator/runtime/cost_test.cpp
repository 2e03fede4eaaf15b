// tocuda, Apache-2.0.
// What calls cost on a simulated GPU: allocation, pages, rows, kernels that access memory over the link.
#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// Nothing costs anything except what a test sets.
const SimulatedMachine free_gpu = machine_of({.memory_bytes = 1073741824,
                                              .call_ns = 0,
                                              .kernel_ns = 0,
                                              .copy_latency_ns = 0,
                                              .host_to_device_bytes_per_second = 1000000000,
                                              .device_to_host_bytes_per_second = 500000000,
                                              .memset_bytes_per_second = 100000000000,
                                              .malloc_ns = 0,
                                              .malloc_ns_per_granule = 0,
                                              .free_ns = 0,
                                              .malloc_async_ns = 0,
                                              .free_async_ns = 0,
                                              .page_touch_ns_per_page = 0,
                                              .page_lock_ns_per_page = 0,
                                              .page_unlock_ns_per_page = 0,
                                              .managed_fault_ns = 0,
                                              .copy_row_ns = 0,
                                              .memory_bytes_per_second = 100000000000});

TEST(Costs, OfAllocationFollowProfile) {
    on_machine(
        with(free_gpu, {{&GpuFigures::malloc_ns, 1000},
                        {&GpuFigures::malloc_ns_per_granule, 500},
                        {&GpuFigures::free_ns, 3000},
                        {&GpuFigures::malloc_async_ns, 100},
                        {&GpuFigures::free_async_ns, 200}}),
        [] {
            void* memory = nullptr;
            EXPECT_NEAR(microseconds([&] { return cudaMalloc(&memory, 8 * MiB); }), 1 + 4 * 0.5, 1e-6);
            EXPECT_NEAR(microseconds([&] { return cudaFree(memory); }), 3, 1e-6);
            cudaMemPool_t pool = nullptr;
            std::uint64_t all = ~std::uint64_t{0};
            ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
            ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), cudaSuccess);
            EXPECT_NEAR(microseconds([&] { return cudaMallocAsync(&memory, MiB, nullptr); }), 0.1 + 1 + 16 * 0.5, 1e-6)
                << "a new reservation";
            EXPECT_NEAR(microseconds([&] { return cudaFreeAsync(memory, nullptr); }), 0.2, 1e-6);
            EXPECT_NEAR(microseconds([&] { return cudaMallocAsync(&memory, MiB, nullptr); }), 0.1, 1e-6)
                << "from what is already reserved";
            EXPECT_NEAR(microseconds([&] { return cudaFreeAsync(memory, nullptr); }), 0.2, 1e-6);
            EXPECT_NEAR(microseconds([&] { return cudaMemPoolTrimTo(pool, 0); }), 3, 1e-6);
        });
}

TEST(Costs, OfPinningAreByPage) {
    on_machine(with(free_gpu, {{&GpuFigures::page_touch_ns_per_page, 100},
                               {&GpuFigures::page_lock_ns_per_page, 30},
                               {&GpuFigures::page_unlock_ns_per_page, 7}}),
               [] {
                   void* pinned = nullptr;
                   std::vector<char> own(MiB);
                   EXPECT_NEAR(microseconds([&] { return cudaHostAlloc(&pinned, MiB, cudaHostAllocWriteCombined); }),
                               256 * 0.13, 1e-6);
                   EXPECT_NEAR(microseconds([&] { return cudaFreeHost(pinned); }), 256 * 0.007, 1e-6);
                   EXPECT_NEAR(
                       microseconds([&] { return cudaHostRegister(own.data(), MiB, cudaHostRegisterPortable); }),
                       256 * 0.03, 1e-6);
                   EXPECT_NEAR(microseconds([&] { return cudaHostUnregister(own.data()); }), 256 * 0.007, 1e-6);
               });
}

TEST(Costs, OfSeparateRowsAreByRow) {
    on_machine(with(free_gpu, {{&GpuFigures::copy_row_ns, 1000}}), [] {
        void* host = nullptr;
        void* device = nullptr;
        ASSERT_EQ(cudaMallocHost(&host, MiB), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&device, MiB), cudaSuccess);
        const auto rows = [&](std::size_t pitch) {
            return microseconds([&] {
                return cudaMemcpy2DAsync(device, pitch, host, pitch, 100, 1000, cudaMemcpyHostToDevice, nullptr);
            });
        };
        EXPECT_NEAR(rows(200), 1000, 1e-6);
        EXPECT_NEAR(rows(100), 100, 1e-6) << "one piece";
    });
}

TEST(HostMemory, RefusesInvalidFlags) {
    on_machine(free_gpu, [] {
        void* memory = nullptr;
        std::vector<char> own(4096);
        EXPECT_EQ(cudaHostAlloc(&memory, 1, 8), cudaErrorInvalidValue);
        EXPECT_EQ(cudaHostRegister(own.data(), 4096, 16), cudaErrorInvalidValue);
        EXPECT_EQ(cudaHostRegister(own.data(), 4096, cudaHostRegisterReadOnly), cudaErrorNotSupported);
        EXPECT_EQ(cudaMallocManaged(&memory, 1, 3), cudaErrorInvalidValue);
    });
}

struct ManagedMemory {
    char* data = nullptr;
    ManagedMemory() {
        EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&data), MiB, cudaMemAttachGlobal), cudaSuccess);
    }
};

// A kernel that would read 1 MiB from one place and write it to the other, in 20 us of the GPU's own memory.
char copying = 0;  // its address identifies the kernel

void register_copying(bool with_touches) {
    static constexpr std::array<std::size_t, 2> sizes{sizeof(char*), sizeof(char*)};
    tocuda_host_kernel kernel{};
    tocuda_host_kernel_more more{
        .version = 1, .patience_seconds = 0, .touches = nullptr, .dependent_loads = nullptr, .working_set = nullptr};
    kernel.version = 1;
    kernel.function = &copying;
    kernel.arguments = 2;
    kernel.argument_bytes = sizes.data();
    kernel.run = [](void* const*, const tocuda_launch*) {};
    kernel.seconds = [](void* const*, const tocuda_launch*) { return 2 * MiB / 100e9; };
    if (with_touches) {
        more.touches = [](void* const* arguments, const tocuda_launch*, tocuda_touch* touches,
                          std::size_t room) -> std::size_t {
            if (room < 2) return 0;
            touches[0] = {*static_cast<char* const*>(arguments[0]), MiB, 1};
            touches[1] = {*static_cast<char* const*>(arguments[1]), MiB, 0};
            return 2;
        };
    }
    ASSERT_EQ(tocuda_simulation_host_kernel_with(&kernel, &more), 0);
}

double copy_by_kernel(void* to, void* from) {
    return microseconds([&] {
        void* arguments[] = {&to, &from};
        return cudaLaunchKernel(&copying, {1}, {1}, arguments, 0, nullptr);
    });
}

struct Places {
    void* device = nullptr;
    void* other = nullptr;
    void* pinned = nullptr;
    Places() {
        EXPECT_EQ(cudaMalloc(&device, MiB), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&other, MiB), cudaSuccess);
        EXPECT_EQ(cudaMallocHost(&pinned, MiB), cudaSuccess);
    }
};

TEST(KernelCosts, InOwnMemoryAreWhatKernelReports) {
    on_machine(free_gpu, [] {
        register_copying(false);
        const Places places;
        EXPECT_NEAR(copy_by_kernel(places.device, places.other), 2 * MiB / 1e5, 1e-3);
    });
}

TEST(KernelCosts, IncludeProfilesCostOfAnyKernel) {
    on_machine(with(free_gpu, {{&GpuFigures::kernel_ns, 4000}}), [] {
        register_copying(false);
        const Places places;
        EXPECT_NEAR(copy_by_kernel(places.device, places.other), 4 + 2 * MiB / 1e5, 1e-3);
    });
}

TEST(KernelCosts, OverLinkFollowRateOfLink) {
    on_machine(free_gpu, [] {
        register_copying(false);
        const Places places;
        EXPECT_NEAR(copy_by_kernel(places.device, places.pinned), MiB / 1e3, 1e-3);
    });
}

TEST(KernelCosts, OfFewBytesOnHostAreSmall) {
    on_machine(free_gpu, [] {
        register_copying(false);
        const Places places;
        void* place_for_a_sum = nullptr;
        ASSERT_EQ(cudaMallocHost(&place_for_a_sum, 8), cudaSuccess);
        EXPECT_NEAR(copy_by_kernel(place_for_a_sum, places.device), 2 * MiB / 1e5, 1e-3);
    });
}

TEST(KernelCosts, FollowDirectionThatKernelReports) {
    on_machine(free_gpu, [] {
        register_copying(true);
        const Places places;
        EXPECT_NEAR(copy_by_kernel(places.device, places.pinned), MiB / 1e3, 1e-3);
        EXPECT_NEAR(copy_by_kernel(places.pinned, places.device), MiB / 5e2, 1e-3);
        EXPECT_NEAR(copy_by_kernel(places.device, places.other), 2 * MiB / 1e5, 1e-3);
    });
}

TEST(KernelCosts, IncludeFaultsAtFirstTouchOfManagedMemory) {
    on_machine(with(free_gpu, {{&GpuFigures::managed_fault_ns, 1000000}}), [] {
        register_copying(true);
        const Places places;
        const ManagedMemory memory;
        EXPECT_NEAR(copy_by_kernel(places.device, memory.data), 16 * 1000 + 2 * MiB / 1e5, 1e-3);
        EXPECT_NEAR(copy_by_kernel(places.device, memory.data), 2 * MiB / 1e5, 1e-3);
    });
}

// A kernel with eight loads, of which each waits for the one before, within a working set.
char chasing = 0;

struct Chase {
    const void* from;
    std::size_t bytes;
};

double microseconds_of_chase(const void* from, std::size_t bytes) {
    static constexpr std::array<std::size_t, 1> sizes{sizeof(Chase)};
    tocuda_host_kernel kernel{};
    kernel.version = 1;
    kernel.function = &chasing;
    kernel.arguments = 1;
    kernel.argument_bytes = sizes.data();
    kernel.run = [](void* const*, const tocuda_launch*) {};
    const tocuda_host_kernel_more more{
        .version = 1,
        .patience_seconds = 0,
        .touches = [](void* const* arguments, const tocuda_launch*, tocuda_touch* touches, std::size_t) -> std::size_t {
            const auto& chase = *static_cast<const Chase*>(arguments[0]);
            touches[0] = {chase.from, chase.bytes, 0};
            return 1;
        },
        .dependent_loads = [](void* const*, const tocuda_launch*) -> std::size_t { return 8; },
        .working_set = nullptr};
    EXPECT_EQ(tocuda_simulation_host_kernel_with(&kernel, &more), 0);
    return microseconds([&] {
        Chase chase{from, bytes};
        void* arguments[] = {&chase};
        return cudaLaunchKernel(&chasing, {1}, {1}, arguments, 0, nullptr);
    });
}

TEST(KernelCosts, OfLoadsThatWaitForEachOtherFollowPlaceAndWorkingSet) {
    const auto machine = with(free_gpu, {{&GpuFigures::l1_bytes, 4096},
                                         {&GpuFigures::l2_bytes, 65536},
                                         {&GpuFigures::l1_latency_ns, 1000},
                                         {&GpuFigures::l2_latency_ns, 2000},
                                         {&GpuFigures::memory_latency_ns, 3000},
                                         {&GpuFigures::host_latency_ns, 4000},
                                         {&GpuFigures::managed_fault_ns, 1000000}});
    on_machine(machine, [] {
        const Places places;
        EXPECT_NEAR(microseconds_of_chase(places.device, 4096), 8, 1e-3);
        EXPECT_NEAR(microseconds_of_chase(places.device, 4097), 16, 1e-3);
        EXPECT_NEAR(microseconds_of_chase(places.device, 65536), 16, 1e-3);
        EXPECT_NEAR(microseconds_of_chase(places.device, 65537), 24, 1e-3);
        EXPECT_NEAR(microseconds_of_chase(places.pinned, 4096), 32, 1e-3);
        const ManagedMemory managed;
        EXPECT_NEAR(microseconds_of_chase(managed.data, 2 * 65536), 2 * 1000 + 24, 1e-3) << "two blocks fault first";
        EXPECT_NEAR(microseconds_of_chase(managed.data, 2 * 65536), 24, 1e-3);
    });
}

cudaError_t launch_in_clusters(unsigned grid, unsigned cluster) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = {grid, 1, 1};
    config.blockDim = {32, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    void* null = nullptr;
    void* arguments[] = {&null, &null};
    return cudaLaunchKernelExC(&config, &copying, arguments);
}

TEST(Clusters, AreCheckedAsOnGpu) {
    on_machine(free_gpu, [] {
        register_copying(false);
        EXPECT_EQ(launch_in_clusters(8, 4), cudaSuccess);
        EXPECT_EQ(launch_in_clusters(7, 4), cudaErrorInvalidConfiguration);
        EXPECT_EQ(launch_in_clusters(64, 32), cudaErrorInvalidClusterSize);
    });
    on_machine(with(free_gpu, {{&GpuFigures::cluster_launch, 0}}), [] {
        register_copying(false);
        EXPECT_EQ(launch_in_clusters(8, 4), cudaErrorNotSupported);
    });
}

}  // namespace
}  // namespace tocuda::simulator
