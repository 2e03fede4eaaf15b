// tocuda, Apache-2.0.
// Eight threads allocate, copy, capture, compute, wait and free on two simulated GPUs, then two threads are the ranks
// of collectives; exits with 1 if a call failed or a value came back wrong. Run under the thread sanitizer.
#include <cuda_runtime_api.h>
#ifdef TOCUDA_NCCL_VERSION
#include <nccl.h>
#endif

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "simulator/schema/simulation.h"

namespace {

std::atomic<int> wrong = 0;

void expect(bool right) {
    if (!right) ++wrong;
}

void round_trip(cudaStream_t stream, std::vector<int>& sent, std::vector<int>& received, int number) {
    const std::size_t bytes = sent.size() * sizeof(int);
    for (int& value : sent) value = number;
    void* device = nullptr;
    void* pooled = nullptr;
    void* pinned = nullptr;
    expect(cudaMalloc(&device, bytes) == cudaSuccess);
    expect(cudaMallocAsync(&pooled, bytes, stream) == cudaSuccess);
    expect(cudaMallocHost(&pinned, bytes) == cudaSuccess);
    expect(cudaMemcpyAsync(device, sent.data(), bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    expect(cudaMemcpyAsync(pooled, device, bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess);
    expect(cudaMemcpyAsync(pinned, pooled, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    expect(cudaStreamSynchronize(stream) == cudaSuccess);
    expect(static_cast<int*>(pinned)[sent.size() - 1] == number);
    expect(cudaMemcpyAsync(received.data(), pooled, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    expect(received == sent);
    expect(cudaFreeAsync(pooled, stream) == cudaSuccess);
    expect(cudaFreeHost(pinned) == cudaSuccess);
    expect(cudaFree(device) == cudaSuccess);
}

void captured_fill(cudaStream_t stream, int number) {
    int* device = nullptr;
    int value = 0;
    expect(cudaMalloc(reinterpret_cast<void**>(&device), 4) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    expect(cudaMemsetAsync(device, number, 4, stream) == cudaSuccess);
    expect(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    expect(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    expect(cudaGraphLaunch(executable, stream) == cudaSuccess);
    expect(cudaGraphExecDestroy(executable) == cudaSuccess);
    expect(cudaGraphDestroy(graph) == cudaSuccess);
    expect(cudaMemcpyAsync(&value, device, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    expect(value == number * 0x01010101);
    expect(cudaFree(device) == cudaSuccess);
}

// Copies a number within a GPU in stream order, as an operator of LibTorch that is computed on the CPU.
struct Assign {
    const int* from;
    int* to;
};

int assign(int device, cudaStream_t stream, const Assign& what) {
    const std::array touches{tocuda_touch{what.from, sizeof *what.from, 0}, tocuda_touch{what.to, sizeof *what.to, 1}};
    const tocuda_computation computation{.version = 1,
                                         .run =
                                             [](void* it) {
                                                 const auto [from, to] = *static_cast<const Assign*>(it);
                                                 *to = *from;
                                             },
                                         .ready = nullptr,
                                         .drop = [](void* it) { delete static_cast<Assign*>(it); },
                                         .state = new Assign(what),
                                         .touches = touches.data(),
                                         .count = touches.size(),
                                         .link_seconds = 0};
    return tocuda_simulation_compute(device, stream, &computation);
}

// At once, behind a copy to pinned memory, and of bytes that were not computed.
void computed(int thread, cudaStream_t stream, int number) {
    int* numbers = nullptr;
    int* pinned = nullptr;
    expect(cudaMalloc(reinterpret_cast<void**>(&numbers), 3 * sizeof(int)) == cudaSuccess);
    expect(cudaMallocHost(reinterpret_cast<void**>(&pinned), 3 * sizeof(int)) == cudaSuccess);
    expect(cudaMemcpyAsync(numbers, &number, sizeof number, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    expect(assign(thread % 2, stream, {numbers, numbers + 1}) == 0);
    expect(cudaMemcpyAsync(pinned, numbers, 2 * sizeof(int), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    expect(assign(thread % 2, stream, {numbers + 1, numbers + 2}) == 0);
    expect(cudaMemcpyAsync(pinned + 2, numbers + 2, sizeof(int), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    expect(cudaStreamSynchronize(stream) == cudaSuccess);
    for (int i = 0; i < 3; ++i) expect(pinned[i] == number);
    const tocuda_touch lost{numbers, sizeof *numbers, 1};
    tocuda_simulation_not_computed("lost", "threads_program.cpp", &lost, 1);
    expect(assign(thread % 2, stream, {numbers, numbers + 1}) == 0);
    expect(cudaFreeHost(pinned) == cudaSuccess);
    expect(cudaFree(numbers) == cudaSuccess);
}

#ifdef TOCUDA_NCCL_VERSION
void meet(const ncclUniqueId& id, int rank) {
    expect(cudaSetDevice(rank) == cudaSuccess);
    ncclComm_t communicator = nullptr;
    expect(ncclCommInitRank(&communicator, 2, id, rank) == ncclSuccess);
    cudaStream_t stream = nullptr;
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    int* numbers = nullptr;
    expect(cudaMalloc(reinterpret_cast<void**>(&numbers), 3 * sizeof(int)) == cudaSuccess);
    for (int i = 0; i < 100; ++i) {
        const int number = 1000 * rank + i;
        std::array<int, 2> got{};
        expect(cudaMemcpyAsync(numbers, &number, sizeof number, cudaMemcpyHostToDevice, stream) == cudaSuccess);
        expect(ncclAllReduce(numbers, numbers + 1, 1, ncclInt, ncclSum, communicator, stream) == ncclSuccess);
        expect(ncclGroupStart() == ncclSuccess);
        expect(ncclSend(numbers, 1, ncclInt, 1 - rank, communicator, stream) == ncclSuccess);
        expect(ncclRecv(numbers + 2, 1, ncclInt, 1 - rank, communicator, stream) == ncclSuccess);
        expect(ncclGroupEnd() == ncclSuccess);
        expect(cudaMemcpyAsync(got.data(), numbers + 1, sizeof got, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
        expect(got[0] == 1000 + 2 * i && got[1] == 1000 * (1 - rank) + i);
    }
    expect(ncclCommDestroy(communicator) == ncclSuccess);
    expect(cudaFree(numbers) == cudaSuccess);
}
#endif

// While other threads compute.
void exported(cudaStream_t stream) {
    void* memory = nullptr;
    cudaIpcMemHandle_t handle{};
    expect(cudaMalloc(&memory, 1 << 20) == cudaSuccess);
    expect(cudaMemsetAsync(memory, 1, 4096, stream) == cudaSuccess);
    expect(cudaIpcGetMemHandle(&handle, memory) == cudaSuccess);
    int value = 0;
    expect(cudaMemcpyAsync(&value, memory, sizeof value, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    expect(value == 0x01010101);
    expect(cudaFree(memory) == cudaSuccess);
}

void work(int thread) {
    expect(cudaSetDevice(thread % 2) == cudaSuccess);
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    expect(cudaEventCreate(&event) == cudaSuccess);
    std::vector<int> sent(4096);
    std::vector<int> received(4096);
    std::atomic<int> called = 0;
    constexpr int rounds = 50;
    for (int i = 0; i < rounds; ++i) {
        round_trip(stream, sent, received, 1000 * thread + i);
        captured_fill(stream, i);
        computed(thread, stream, i);
        if (i % 8 == 0) exported(stream);
        const auto count = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
        expect(cudaLaunchHostFunc(stream, count, &called) == cudaSuccess);
        expect(cudaEventRecord(event, stream) == cudaSuccess);
        expect(cudaEventSynchronize(event) == cudaSuccess);
        expect(called == i + 1);
        int device = -1;
        expect(cudaGetDevice(&device) == cudaSuccess && device == thread % 2);
        void* none = nullptr;
        expect(cudaMalloc(&none, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
        expect(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
    }
    expect(cudaEventDestroy(event) == cudaSuccess);
    expect(cudaStreamDestroy(stream) == cudaSuccess);
}

}  // namespace

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
#ifdef TOCUDA_NCCL_VERSION
    ncclUniqueId id{};
    expect(ncclGetUniqueId(&id) == ncclSuccess);
    std::thread other(meet, id, 1);
    meet(id, 0);
    other.join();
#endif
    std::printf("wrong %d\n", wrong.load());
    return wrong == 0 ? 0 : 1;
}
