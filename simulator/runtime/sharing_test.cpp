// tocuda, Apache-2.0.
// Memory and events of one process in another.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <sys/syscall.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/answers_test.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// Two processes of one machine that take turns: what each of them sends, the other receives.
class Other {
public:
    // Runs `body` in a process of its own, before either has used a GPU.
    template <typename Body>
    explicit Other(Body&& body) {
        EXPECT_EQ(::pipe(to_it), 0);
        EXPECT_EQ(::pipe(from_it), 0);
        child = ::fork();
        if (child != 0) return;
        std::swap(to_it, from_it);
        ::alarm(30);
        body(*this);
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() { ends(); }

    template <typename Value>
    void send(const Value& value) const {
        EXPECT_EQ(::write(to_it[1], &value, sizeof value), static_cast<ssize_t>(sizeof value));
    }
    template <typename Value>
    Value receive() const {
        Value value{};
        EXPECT_EQ(::read(from_it[0], &value, sizeof value), static_cast<ssize_t>(sizeof value));
        return value;
    }
    void next() const { send('.'); }
    void wait() const { receive<char>(); }
    void ends() {
        if (child <= 0) return;
        int status = -1;
        ::waitpid(std::exchange(child, 0), &status, 0);
        EXPECT_EQ(status, 0) << "in the other process";
    }

private:
    int to_it[2] = {};
    int from_it[2] = {};
    pid_t child = 0;
};

void* allocated(std::size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
    return memory;
}

int value_at(const void* address) {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, address, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
}
void put(void* address, int value) {
    EXPECT_EQ(cudaMemcpy(address, &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
}

int* opened(const cudaIpcMemHandle_t& handle) {
    void* memory = nullptr;
    EXPECT_EQ(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess), cudaSuccess);
    return static_cast<int*>(memory);
}
cudaError_t error_of_opening(const cudaIpcMemHandle_t& handle) {
    void* memory = nullptr;
    const cudaError_t error = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
    EXPECT_EQ(cudaGetLastError(), error);
    return error;
}
cudaIpcMemHandle_t handle_of(void* memory) {
    cudaIpcMemHandle_t handle{};
    EXPECT_EQ(cudaIpcGetMemHandle(&handle, memory), cudaSuccess);
    return handle;
}

CUresult exported(CUmemGenericAllocationHandle handle, int* file) {
    return cuMemExportToShareableHandle(file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
}
CUresult imported(int file, CUmemGenericAllocationHandle* handle) {
    void* const shareable = reinterpret_cast<void*>(static_cast<std::uintptr_t>(file));
    return cuMemImportFromShareableHandle(handle, shareable, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}
int* mapped(CUmemGenericAllocationHandle handle) {
    CUdeviceptr address = 0;
    CUmemAccessDesc access{};
    access.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    EXPECT_EQ(cuMemAddressReserve(&address, 4 * MiB, 0, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemMap(address, 4 * MiB, 0, handle, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemSetAccess(address, 4 * MiB, &access, 1), CUDA_SUCCESS);
    return reinterpret_cast<int*>(address);
}

TEST(Sharing, BothSeeWhatEitherWrites) {
    on_machine(two_gpus, [] {
        Other consumer([](const Other& producer) {
            int* const memory = opened(producer.receive<cudaIpcMemHandle_t>());
            EXPECT_EQ(value_at(memory), 1) << "written before it was shared";
            EXPECT_EQ(value_at(memory + (MiB << 3)), 0) << "never written";
            put(memory + 1, 2);
            producer.next();
            producer.wait();
            EXPECT_EQ(value_at(memory + 2), 3) << "written since";
            EXPECT_EQ(value_at(memory + 1), 0) << "filled with zeros since";
            cudaPointerAttributes attributes{};
            EXPECT_EQ(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
            EXPECT_EQ(attributes.device, 1);
            EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
            EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
            EXPECT_EQ(free_bytes(), 1024 * MiB) << "it counts for the process that allocated it";
        });
        EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
        auto* const memory = static_cast<int*>(allocated(64 * MiB));
        put(memory, 1);
        consumer.send(handle_of(memory));
        consumer.wait();
        EXPECT_EQ(value_at(memory + 1), 2);
        EXPECT_EQ(cudaMemset(memory, 0, 32 * MiB), cudaSuccess);
        put(memory + 2, 3);
        consumer.next();
        consumer.ends();
    });
}

TEST(Sharing, EndsWithCloseOrFree) {
    on_machine(one_gpu, [] {
        Other consumer([](const Other& producer) {
            const auto handle = producer.receive<cudaIpcMemHandle_t>();
            int* const memory = opened(handle);
            EXPECT_EQ(opened(handle), memory) << "once more";
            EXPECT_EQ(cudaIpcCloseMemHandle(memory), cudaSuccess);
            EXPECT_EQ(value_at(memory), 5);
            EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue) << "of another process";
            EXPECT_EQ(cudaIpcCloseMemHandle(memory), cudaSuccess);
            EXPECT_EQ(cudaIpcCloseMemHandle(memory), cudaErrorInvalidValue);
            EXPECT_EQ(cudaMemset(memory, 1, 4), cudaErrorInvalidValue);
            EXPECT_EQ(value_at(opened(handle)), 5) << "the producer still has it";
            producer.next();
            producer.wait();
            EXPECT_EQ(error_of_opening(producer.receive<cudaIpcMemHandle_t>()), cudaErrorInvalidResourceHandle);
        });
        void* const memory = allocated(MiB);
        put(memory, 5);
        const auto handle = handle_of(memory);
        consumer.send(handle);
        consumer.wait();
        void* const other = allocated(MiB);
        const auto freed = handle_of(other);
        EXPECT_EQ(cudaFree(other), cudaSuccess);
        EXPECT_EQ(value_at(memory), 5) << "closing it elsewhere leaves it here";
        consumer.next();
        consumer.send(freed);
        consumer.ends();
        EXPECT_EQ(cudaFree(memory), cudaSuccess);
        EXPECT_EQ(free_bytes(), 1024 * MiB);
    });
}

// Adds one to each number of a megabyte.
struct AddsToAll {
    int* numbers;
    void add() const {
        const tocuda_touch touch{numbers, MiB, 1};
        const tocuda_computation what{.version = 1,
                                      .run =
                                          [](void* it) {
                                              int* const first = static_cast<int*>(it);
                                              for (std::size_t i = 0; i < MiB / sizeof(int); ++i) ++first[i];
                                          },
                                      .ready = nullptr,
                                      .drop = [](void*) {},
                                      .state = numbers,
                                      .touches = &touch,
                                      .count = 1,
                                      .link_seconds = 0};
        EXPECT_EQ(tocuda_simulation_compute(0, nullptr, &what), 0);
    }
};

TEST(Sharing, LosesNothingThatAnotherThreadWrites) {
    on_machine(one_gpu, [] {
        constexpr int rounds = 20;
        for (int block = 0; block < 20; ++block) {
            const AddsToAll memory{static_cast<int*>(allocated(MiB))};
            memory.add();
            std::atomic<int> begun = 0;
            std::thread other([&] {
                for (int i = 1; i < rounds; begun = i++) memory.add();
            });
            while (begun < 2) {
            }
            ::usleep(static_cast<useconds_t>(20 * block));
            handle_of(memory.numbers);
            other.join();
            const std::vector<int> expected(MiB / sizeof(int), rounds);
            std::vector<int> found(expected.size());
            EXPECT_EQ(cudaMemcpy(found.data(), memory.numbers, MiB, cudaMemcpyDeviceToHost), cudaSuccess);
            EXPECT_TRUE(found == expected) << block;
        }
    });
}

TEST(VirtualMemory, IsSharedByADescriptor) {
    on_machine(two_gpus, [] {
        Other consumer([](const Other& producer) {
            // As LibTorch gets descriptors of expandable segments.
            const int parent = static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0));
            const int file = static_cast<int>(::syscall(SYS_pidfd_getfd, parent, producer.receive<int>(), 0));
            CUmemGenericAllocationHandle handle = 0;
            ASSERT_EQ(imported(file, &handle), CUDA_SUCCESS);
            ::close(file);
            EXPECT_EQ(free_bytes(), 1024 * MiB);
            CUmemAllocationProp properties{};
            EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&properties, handle), CUDA_SUCCESS);
            EXPECT_EQ(properties.location.id, 1);
            int* const memory = mapped(handle);
            EXPECT_EQ(value_at(memory), 6);
            put(memory + 1, 8);
            producer.next();
            producer.wait();
            EXPECT_EQ(value_at(memory), 9) << "its process has released it";
            EXPECT_EQ(cuMemUnmap(reinterpret_cast<CUdeviceptr>(memory), 4 * MiB), CUDA_SUCCESS);
            EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
            EXPECT_EQ(imported(0, &handle), CUDA_ERROR_INVALID_VALUE) << "another file";
            EXPECT_EQ(imported(4000, &handle), CUDA_ERROR_INVALID_VALUE) << "no file";
        });
        CUmemAllocationProp properties{};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1};
        CUmemGenericAllocationHandle handle = 0, own = 0;
        int file = -1;
        ASSERT_EQ(cuMemCreate(&own, 4 * MiB, &properties, 0), CUDA_SUCCESS);
        EXPECT_EQ(exported(own, &file), CUDA_ERROR_INVALID_VALUE) << "that was not asked for";
        properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
        EXPECT_EQ(cuMemCreate(&own, 4 * MiB, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
        properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        ASSERT_EQ(cuMemCreate(&handle, 4 * MiB, &properties, 0), CUDA_SUCCESS);
        int* const memory = mapped(handle);
        put(memory, 6);
        ASSERT_EQ(exported(handle, &file), CUDA_SUCCESS);
        consumer.send(file);
        consumer.wait();
        EXPECT_EQ(value_at(memory + 1), 8);
        put(memory, 9);
        EXPECT_EQ(cuMemUnmap(reinterpret_cast<CUdeviceptr>(memory), 4 * MiB), CUDA_SUCCESS);
        EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
        ::close(file);
        consumer.next();
    });
}

TEST(Sharing, IsRefusedAsOnAGpu) {
    on_machine(one_gpu, [] {
        cudaIpcMemHandle_t of_dead{};
        {
            Other producer([](const Other& asking) { asking.send(handle_of(allocated(MiB))); });
            of_dead = producer.receive<cudaIpcMemHandle_t>();
        }
        EXPECT_EQ(error_of_opening(of_dead), cudaErrorInvalidResourceHandle) << "its process has ended";
        EXPECT_EQ(error_of_opening({}), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(error_of_opening(handle_of(allocated(MiB))), cudaErrorDeviceUninitialized) << "of this process";
        cudaIpcMemHandle_t handle{};
        void *pooled = nullptr, *managed = nullptr;
        ASSERT_EQ(cudaMallocAsync(&pooled, MiB, nullptr), cudaSuccess);
        ASSERT_EQ(cudaMallocManaged(&managed, MiB, cudaMemAttachGlobal), cudaSuccess);
        for (void* memory : {pooled, managed, static_cast<void*>(&handle), static_cast<void*>(nullptr)})
            EXPECT_EQ(cudaIpcGetMemHandle(&handle, memory), cudaErrorInvalidValue);
        cudaEvent_t event = nullptr;
        cudaIpcEventHandle_t of_event{};
        EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue) << "with times";
        ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
        EXPECT_EQ(cudaIpcGetEventHandle(&of_event, event), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaIpcOpenEventHandle(&event, of_event), cudaErrorInvalidResourceHandle);
    });
}

TEST(Sharing, NobodyWaitsForAProcessThatHasEnded) {
    on_machine(one_gpu, [] {
        Other producer([](const Other& consumer) {
            cudaEvent_t event = nullptr;
            cudaIpcEventHandle_t handle{};
            ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess), cudaSuccess);
            ASSERT_EQ(cudaLaunchHostFunc(nullptr, [](void*) { ::pause(); }, nullptr), cudaSuccess);
            ASSERT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
            ASSERT_EQ(cudaIpcGetEventHandle(&handle, event), cudaSuccess);
            consumer.send(handle);
            consumer.wait();
        });
        cudaEvent_t event = nullptr;
        ASSERT_EQ(cudaIpcOpenEventHandle(&event, producer.receive<cudaIpcEventHandle_t>()), cudaSuccess);
        EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
        producer.next();
        EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess) << "before its exit code is asked for";
    });
}

TEST(Sharing, StreamsWaitForEventsOfOtherProcesses) {
    on_machine(one_gpu, [] {
        Other consumer([](const Other& producer) {
            cudaEvent_t event = nullptr;
            ASSERT_EQ(cudaIpcOpenEventHandle(&event, producer.receive<cudaIpcEventHandle_t>()), cudaSuccess);
            int* const memory = opened(producer.receive<cudaIpcMemHandle_t>());
            EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
            cudaStream_t stream = nullptr;
            ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
            EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
            EXPECT_EQ(cudaMemcpyAsync(memory + 1, memory, 4, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
            EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
            producer.next();
            EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
            EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
            EXPECT_EQ(value_at(memory + 1), 7);
            EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess) << "in the other direction";
            EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
            producer.next();
        });
        static std::atomic<bool> open = false;
        void* const memory = allocated(MiB);
        cudaEvent_t event = nullptr;
        cudaIpcEventHandle_t handle{};
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess), cudaSuccess);
        ASSERT_EQ(cudaLaunchHostFunc(
                      stream,
                      [](void*) {
                          while (!open) ::usleep(100);
                      },
                      nullptr),
                  cudaSuccess);
        const int seven = 7;
        ASSERT_EQ(cudaMemcpyAsync(memory, &seven, 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
        ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
        ASSERT_EQ(cudaIpcGetEventHandle(&handle, event), cudaSuccess);
        consumer.send(handle);
        consumer.send(handle_of(memory));
        consumer.wait();
        open = true;
        consumer.wait();
        EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
        EXPECT_EQ(value_at(static_cast<int*>(memory) + 1), 7);
    });
}

}  // namespace
}  // namespace tocuda::simulator
