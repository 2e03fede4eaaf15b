// tocuda, Apache-2.0.
// The recorder in front of the simulated runtime, in this process: it is linked first.
#include "simulator/schema/recorder.h"

#include <cuda_runtime_api.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/on_machine_test.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* function, char* device_function, const char* name, int limit,
                            uint3* thread, uint3* block, dim3* block_shape, dim3* grid_shape, int* warp);
}

namespace tocuda::simulator {
namespace {

tocuda_recorder_totals totals() {
    tocuda_recorder_totals totals{};
    totals.version = 1;
    EXPECT_EQ(tocuda_recorder_read(&totals), 0);
    return totals;
}

TEST(Recorder, DistinguishesPinnedPageableAndDirection) {
    on_machine(two_gpus, [] {
        std::vector<char> pageable(1000);
        std::vector<char> registered(1000);
        void* pinned = nullptr;
        void* device = nullptr;
        ASSERT_EQ(cudaMalloc(&device, 1000), cudaSuccess);
        ASSERT_EQ(cudaMallocHost(&pinned, 1000), cudaSuccess);
        ASSERT_EQ(cudaHostRegister(registered.data(), registered.size(), 0), cudaSuccess);
        tocuda_recorder_mark();
        cudaMemcpy(device, pageable.data(), 10, cudaMemcpyHostToDevice);
        cudaMemcpyAsync(device, static_cast<char*>(pinned) + 100, 20, cudaMemcpyHostToDevice, nullptr);
        cudaMemcpyAsync(device, registered.data(), 1, cudaMemcpyDefault, nullptr);
        cudaMemcpy(pinned, device, 40, cudaMemcpyDeviceToHost);
        cudaMemcpy(pageable.data(), device, 80, cudaMemcpyDefault);
        cudaMemcpy(device, static_cast<char*>(device) + 500, 160, cudaMemcpyDeviceToDevice);
        cudaMemset(device, 0, 320);
        const auto seen = totals();
        EXPECT_EQ(seen.host_to_device_pageable.calls, 1U);
        EXPECT_EQ(seen.host_to_device_pageable.bytes, 10U);
        EXPECT_EQ(seen.host_to_device_pinned.calls, 2U);
        EXPECT_EQ(seen.host_to_device_pinned.bytes, 21U);
        EXPECT_EQ(seen.device_to_host_pinned.bytes, 40U);
        EXPECT_EQ(seen.device_to_host_pageable.bytes, 80U);
        EXPECT_EQ(seen.device_to_device.bytes, 160U);
        EXPECT_EQ(seen.memsets.bytes, 320U);
        EXPECT_EQ(seen.asynchronous_copies, 2U);
        EXPECT_EQ(seen.device_allocations.calls, 0U) << "made before the mark";
    });
}

TEST(Recorder, UnregisteredMemoryIsPageableAgain) {
    on_machine(one_gpu, [] {
        std::vector<char> host(1000);
        void* device = nullptr;
        ASSERT_EQ(cudaMalloc(&device, 1000), cudaSuccess);
        ASSERT_EQ(cudaHostRegister(host.data(), host.size(), 0), cudaSuccess);
        ASSERT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
        cudaMemcpy(device, host.data(), 10, cudaMemcpyHostToDevice);
        EXPECT_EQ(totals().host_to_device_pageable.bytes, 10U);
    });
}

TEST(Recorder, CountsWaitsEventsAndAllocations) {
    on_machine(one_gpu, [] {
        cudaEvent_t event = nullptr;
        cudaStream_t stream = nullptr;
        void* device = nullptr;
        void* pinned = nullptr;
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(nullptr, event, 0);
        cudaEventSynchronize(event);
        cudaEventQuery(event);
        cudaStreamSynchronize(stream);
        cudaStreamSynchronize(stream);
        cudaDeviceSynchronize();
        cudaMalloc(&device, 3);
        cudaHostAlloc(&pinned, 5, 0);
        cudaFree(device);
        cudaFree(nullptr);
        cudaFreeHost(pinned);
        const auto seen = totals();
        EXPECT_EQ(seen.streams_created, 1U);
        EXPECT_EQ(seen.event_records, 1U);
        EXPECT_EQ(seen.stream_waits, 1U);
        EXPECT_EQ(seen.event_synchronizations, 1U);
        EXPECT_EQ(seen.event_queries, 1U);
        EXPECT_EQ(seen.stream_synchronizations, 2U);
        EXPECT_EQ(seen.device_synchronizations, 1U);
        EXPECT_EQ(seen.device_allocations.calls, 1U);
        EXPECT_EQ(seen.device_allocations.bytes, 3U);
        EXPECT_EQ(seen.host_allocations.bytes, 5U);
        EXPECT_EQ(seen.device_frees, 1U);
        EXPECT_EQ(seen.host_frees, 1U);
        EXPECT_EQ(seen.failed_calls, 0U);
    });
}

TEST(Recorder, FailedCallsCountOnlyAsFailed) {
    on_machine(one_gpu, [] {
        char byte = 0;
        void* device = nullptr;
        EXPECT_EQ(cudaMalloc(&device, std::size_t{1} << 40), cudaErrorMemoryAllocation);
        EXPECT_EQ(cudaMemcpy(&byte, &byte, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        EXPECT_EQ(totals().device_allocations.calls, 0U);
        EXPECT_EQ(totals().host_to_device_pageable.calls, 0U);
        EXPECT_EQ(totals().failed_calls, 2U);
    });
}

char kernel_function = 0;

void launch(unsigned blocks) {
    void* arguments[] = {nullptr};
    EXPECT_EQ(cudaLaunchKernel(&kernel_function, {blocks}, {32}, arguments, 0, nullptr), cudaSuccess);
}

void register_kernel() {
    static char no_fat_binary[64] = {};
    __cudaRegisterFunction(__cudaRegisterFatBinary(no_fat_binary), &kernel_function, nullptr, "some_kernel", -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
}

TEST(Recorder, KeepsNamesAndOrderOfLaunches) {
    on_machine(one_gpu, [] {
        register_kernel();
        launch(1);
        tocuda_recorder_mark();
        launch(2);
        launch(3);
        tocuda_recorder_launch launches[4] = {};
        ASSERT_EQ(tocuda_recorder_launches(launches, 4), 2U);
        EXPECT_STREQ(launches[0].name, "some_kernel");
        EXPECT_EQ(launches[0].grid[0], 2U);
        EXPECT_EQ(launches[1].grid[0], 3U);
        EXPECT_EQ(launches[1].block[0], 32U);
        EXPECT_EQ(totals().launches, 2U);
        EXPECT_EQ(totals().launches_not_executed, 2U);
    });
}

TEST(Recorder, RefusesUnknownStructureVersion) {
    tocuda_recorder_totals of_the_future{};
    of_the_future.version = 2;
    EXPECT_EQ(tocuda_recorder_read(&of_the_future), 1);
}

// This test ends a process; its parent reads the file that the process leaves.
TEST(Recorder, WritesFileAtEndOfProcess) {
    const std::string place = testing::TempDir() + "tocuda-record";
    const MachineFile machine(one_gpu);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("TOCUDA_SIMULATION", machine.path(), 1);
        ::setenv("TOCUDA_RECORD", place.c_str(), 1);
        void* device = nullptr;
        register_kernel();
        cudaMalloc(&device, 1000);
        launch(1);
        std::exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    const std::string path = place + "." + std::to_string(child);
    std::ifstream file(path);
    std::map<std::string, std::string> lines;
    for (std::string line; std::getline(file, line);)
        lines[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
    ::unlink(path.c_str());
    EXPECT_EQ(lines["version"], "1");
    EXPECT_EQ(lines["device_allocations"], "1 1000");
    EXPECT_EQ(lines["launches"], "1");
    EXPECT_EQ(lines["launch"], "1 some_kernel");
}

}  // namespace
}  // namespace tocuda::simulator
