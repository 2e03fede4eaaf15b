// tocuda, Apache-2.0.
// Eight threads allocate, copy, capture, wait and free on two simulated GPUs; exits with 1 if a call failed or a value
// came back wrong. Run under the thread sanitizer.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

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
    std::printf("wrong %d\n", wrong.load());
    return wrong == 0 ? 0 : 1;
}
