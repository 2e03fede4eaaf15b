// tocuda, Apache-2.0.
// The simulated NVML reports the same GPUs as the simulated runtime, and what this process allocated on them.
#include <cuda_runtime_api.h>

#include <string>

#include "nvml/ask_test.hpp"
#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

struct Memory {
    unsigned long long total, free, used;
};

TEST(Management, FindsGpusByIndexAndByPciBusId) {
    auto machine = two_gpus;
    machine.gpus[1].name = "second";
    machine.gpus[1].pci_bus = 66;
    on_machine(machine, [] {
        ASSERT_EQ(ask("nvmlInit_v2"), 0);
        unsigned count = 0;
        ASSERT_EQ(ask("nvmlDeviceGetCount_v2", &count), 0);
        EXPECT_EQ(count, 2U);
        void* by_index = nullptr;
        void* by_place = nullptr;
        ASSERT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 1U, &by_index), 0);
        ASSERT_EQ(ask("nvmlDeviceGetHandleByPciBusId_v2", "0000:42:00.0", &by_place), 0);
        EXPECT_EQ(by_index, by_place);
        char name[64] = {};
        ASSERT_EQ(ask("nvmlDeviceGetName", by_index, static_cast<char*>(name), 64U), 0);
        EXPECT_STREQ(name, "second");
        EXPECT_NE(ask("nvmlDeviceGetHandleByIndex_v2", 2U, &by_index), 0);
    });
}

TEST(Management, ReportsMemoryOfThisProcess) {
    on_machine(one_gpu, [] {
        void* device = nullptr;
        ASSERT_EQ(cudaMalloc(&device, 4 << 20), cudaSuccess);
        void* gpu = nullptr;
        ASSERT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 0U, &gpu), 0);
        Memory memory{};
        ASSERT_EQ(ask("nvmlDeviceGetMemoryInfo", gpu, &memory), 0);
        EXPECT_EQ(memory.used, 4U << 20);
        EXPECT_EQ(memory.total, 1U << 30);
        unsigned count = 1;
        struct {
            unsigned pid;
            unsigned long long bytes;
        } process{};
        ASSERT_EQ(ask("nvmlDeviceGetComputeRunningProcesses", gpu, &count, static_cast<void*>(&process)), 0);
        EXPECT_EQ(count, 1U);
        EXPECT_EQ(process.pid, static_cast<unsigned>(::getpid()));
        EXPECT_EQ(process.bytes, 4U << 20);
    });
}

TEST(Management, UnknownQueriesAreNotSupported) {
    on_machine(one_gpu, [] { EXPECT_EQ(ask("nvmlDeviceGetPersistenceMode"), 3); });
}

// LibTorch 2.13 asks before it makes an expandable segment, and takes "not supported" for an error.
TEST(Management, HasNoFabric) {
    on_machine(one_gpu, [] {
        struct {
            unsigned version;
            unsigned char cluster[16];
            int status;
            unsigned clique;
            unsigned char state;
            unsigned health;
        } info{.version = 0x2000024, .cluster = {}, .status = 7, .clique = 7, .state = 7, .health = 7};
        void* gpu = nullptr;
        ASSERT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 0U, &gpu), 0);
        ASSERT_EQ(ask("nvmlDeviceGetGpuFabricInfoV", gpu, static_cast<void*>(&info)), 0);
        EXPECT_EQ(info.version, 0x2000024U);
        EXPECT_EQ(info.state, 0) << "not supported";
        EXPECT_EQ(info.health, 7U) << "not in all versions";
    });
}

TEST(Management, ReportsWhatIsDoneToTheGpus) {
    auto machine = two_gpus;
    machine.gpus[0].mig = 1;
    machine.gpus[1].compute_mode = 3;
    machine.gpus[1].occupied_bytes = 5 << 20;
    on_machine(machine, [] {
        void* part = nullptr;
        void* exclusive = nullptr;
        ASSERT_EQ(ask("nvmlDeviceGetHandleByUUID", "MIG-70c0da00-0000-4000-8000-000000000000", &part), 0);
        ASSERT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 1U, &exclusive), 0);
        unsigned current = 0;
        unsigned pending = 0;
        EXPECT_EQ(ask("nvmlDeviceGetMigMode", part, &current, &pending), 0);
        EXPECT_EQ(current, 1U);
        EXPECT_EQ(ask("nvmlDeviceGetMigMode", exclusive, &current, &pending), 3);
        int mode = 0;
        EXPECT_EQ(ask("nvmlDeviceGetComputeMode", exclusive, &mode), 0);
        EXPECT_EQ(mode, 3);
        Memory memory{};
        EXPECT_EQ(ask("nvmlDeviceGetMemoryInfo", exclusive, &memory), 0);
        EXPECT_EQ(memory.used, 5U << 20);
        EXPECT_EQ(memory.free, (1024U - 5) << 20);
    });
}

TEST(Management, BadFileMeansDriverNotLoaded) {
    on_machine(std::string("nonsense\n"), [] { EXPECT_EQ(ask("nvmlInit_v2"), 9); });
}

}  // namespace
}  // namespace tocuda::simulator
