// tocuda, Apache-2.0.
// Measures what the simulator costs and prints `key value` lines. Run it as it is linked, and with the recorder
// preloaded.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

template <typename Body>
double nanoseconds_each(int count, Body&& body) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) body(i);
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count;
}

long resident_kib() {
    long pages = 0;
    long resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

int require(cudaError_t result, const char* what) {
    if (result == cudaSuccess) return 0;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
    return 1;
}

// The time of memcpy alone is subtracted; the rest is the simulator's.
void copies(std::size_t bytes, int count) {
    void* device = nullptr;
    require(cudaMalloc(&device, bytes), "cudaMalloc");
    std::vector<char> pageable(bytes, 'a');
    std::vector<char> other(bytes, 'b');
    void* pinned = nullptr;
    require(cudaMallocHost(&pinned, bytes), "cudaMallocHost");
    std::memset(pinned, 'p', bytes);
    cudaMemcpy(device, pageable.data(), bytes, cudaMemcpyHostToDevice);
    const double work = nanoseconds_each(count, [&](int) { std::memcpy(device, other.data(), bytes); });
    const double blocking = nanoseconds_each(
        count, [&](int) { cudaMemcpyAsync(device, pageable.data(), bytes, cudaMemcpyHostToDevice, nullptr); });
    const double pinned_copy = nanoseconds_each(count, [&](int) {
        cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, nullptr);
        cudaStreamSynchronize(nullptr);
    });
    std::printf("copy_%zu_memcpy_ns %.0f\ncopy_%zu_pageable_over_ns %.0f\ncopy_%zu_pinned_and_wait_over_ns %.0f\n",
                bytes, work, bytes, blocking - work, bytes, pinned_copy - work);
    cudaFree(device);
    cudaFreeHost(pinned);
}

void small_calls() {
    constexpr int count = 200000;
    int device = 0;
    std::printf("get_device_ns %.0f\n", nanoseconds_each(count, [&](int) { cudaGetDevice(&device); }));
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    std::printf("event_record_ns %.0f\n", nanoseconds_each(count, [&](int) { cudaEventRecord(event, nullptr); }));
    std::printf("event_query_ns %.0f\n", nanoseconds_each(count, [&](int) { cudaEventQuery(event); }));
    std::printf("stream_synchronize_ns %.0f\n", nanoseconds_each(count, [&](int) { cudaStreamSynchronize(nullptr); }));
}

void allocations() {
    std::mt19937_64 random(1);
    std::vector<void*> held(256, nullptr);
    constexpr int count = 100000;
    int failed = 0;
    const double each = nanoseconds_each(count, [&](int) {
        void*& place = held[random() % held.size()];
        cudaFree(place);
        if (cudaMalloc(&place, std::size_t{1} << (9 + random() % 19)) != cudaSuccess) ++failed;
    });
    std::printf("allocations %d\nallocations_failed %d\nallocations_seconds %.3f\n", count, failed,
                each * count * 1e-9);
    for (void* place : held) cudaFree(place);
}

// Allocates all of the GPU's memory and touches none of it.
void untouched() {
    std::size_t free_bytes = 0;
    std::size_t all = 0;
    cudaMemGetInfo(&free_bytes, &all);
    const long before = resident_kib();
    void* everything = nullptr;
    require(cudaMalloc(&everything, free_bytes), "cudaMalloc of all");
    cudaMemset(everything, 0, free_bytes);
    std::printf("untouched_bytes %zu\nuntouched_resident_kib %ld\n", free_bytes, resident_kib() - before);
    cudaFree(everything);
}

}  // namespace

int main() {
    int count = 0;
    if (require(cudaGetDeviceCount(&count), "cudaGetDeviceCount") != 0) return 1;
    untouched();
    small_calls();
    copies(4, 200000);
    copies(65536, 20000);
    copies(std::size_t{16} << 20, 20);
    allocations();
    return require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
