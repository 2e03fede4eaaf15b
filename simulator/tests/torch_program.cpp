// tocuda, Apache-2.0.
// LibTorch on a simulated GPU: runs the recipe named on the command line and prints LibTorch's own statistics and
// results, one per line.
#include <ATen/Functions.h>
#include <ATen/cuda/Sleep.h>
#include <c10/core/ScalarType.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/schema/simulation.h"
#include "tests/torch_traffic.hpp"

namespace {

constexpr std::int64_t MiB = std::int64_t{1} << 20;
const at::Device first_gpu(at::kCUDA, 0);

at::Tensor mebibytes(std::int64_t count) {
    return at::empty({count * MiB}, at::TensorOptions(at::kByte).device(first_gpu));
}

const char* attempt(std::int64_t count) {
    try {
        mebibytes(count);
        return "granted";
    } catch (const c10::OutOfMemoryError&) {
        return "refused";
    }
}

void cap(std::int64_t count) {
    std::size_t free = 0;
    std::size_t total = 0;
    c10::cuda::CUDACachingAllocator::init(c10::cuda::device_count());
    mebibytes(0);
    cudaMemGetInfo(&free, &total);
    c10::cuda::CUDACachingAllocator::setMemoryFraction(static_cast<double>(count * MiB) / static_cast<double>(total),
                                                       0);
}

void statistics(const char* when) {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
    std::printf("%s: segments %lld allocated %lld reserved %lld inactive_split %lld retries %lld ooms %lld\n", when,
                static_cast<long long>(stats.segment[0].current),
                static_cast<long long>(stats.allocated_bytes[0].current / MiB),
                static_cast<long long>(stats.reserved_bytes[0].current / MiB),
                static_cast<long long>(stats.inactive_split_bytes[0].current / MiB),
                static_cast<long long>(stats.num_alloc_retries), static_cast<long long>(stats.num_ooms));
}

// Interleaved frees under a cap that an unfragmented GPU would satisfy.
void interleaved(std::int64_t cap_mebibytes) {
    cap(cap_mebibytes);
    mebibytes(1024);
    std::vector<at::Tensor> kept;
    for (int i = 0; i < 16; ++i) kept.push_back(mebibytes(64));
    for (std::size_t i = 0; i < kept.size(); i += 2) kept[i].reset();
    statistics("every other one freed");
    std::printf("128: %s\n", attempt(128));
    c10::cuda::CUDACachingAllocator::emptyCache();
    std::printf("128 after emptyCache: %s\n", attempt(128));
    kept.clear();
    std::printf("128 with all freed: %s\n", attempt(128));
    statistics("end");
}

void unsplit() {
    cap(1025);
    std::vector<at::Tensor> kept;
    for (int i = 0; i < 64; ++i) kept.push_back(mebibytes(16));
    for (std::size_t i = 0; i < kept.size(); i += 2) kept[i].reset();
    std::printf("128: %s\n", attempt(128));
    statistics("end");
}

void small_ones() {
    cap(201);
    std::vector<at::Tensor> kept;
    for (int i = 0; i < 50; ++i) kept.push_back(mebibytes(4));
    statistics("fifty");
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (i % 5 != 0) kept[i].reset();
    }
    statistics("every fifth kept");
    for (const std::int64_t count : {16, 20, 32}) std::printf("%d: %s\n", static_cast<int>(count), attempt(count));
}

void same_size_loop() {
    cap(1025);
    for (int i = 0; i < 100; ++i) mebibytes(4);
    statistics("end");
}

void second_gpu() {
    const auto sent = at::randn({1000});
    const auto there = sent.to(at::Device(at::kCUDA, 1));
    std::printf("devices %d on %s equal %d\n", static_cast<int>(c10::cuda::device_count()),
                there.device().str().c_str(), at::equal(there.cpu(), sent) ? 1 : 0);
    try {
        at::empty({1}, at::TensorOptions().device(at::Device(at::kCUDA, 7)));
    } catch (const c10::Error& error) {
        std::printf("cuda:7: %.34s\n", error.what_without_backtrace());
    }
    try {
        mebibytes(3 << 10);
    } catch (const c10::OutOfMemoryError& error) {
        std::printf("%.119s\n", error.what_without_backtrace());
    }
    try {
        at::add(sent, there);
    } catch (const c10::Error& error) {
        std::printf("%.81s\n", error.what_without_backtrace());
    }
}

// What LibTorch reports on a machine whose GPU cannot be used; its warnings go to stderr.
void first_touch() {
    std::printf("devices %d\n", static_cast<int>(c10::cuda::device_count()));
    try {
        at::empty({1}, at::TensorOptions().device(first_gpu));
    } catch (const c10::Error& error) {
        std::printf("says: %s\n", error.what_without_backtrace());
    }
}

std::uint64_t kernels_not_executed() {
    tocuda_simulation_state_t state{};
    state.version = 1;
    reinterpret_cast<decltype(&tocuda_simulation_state)>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_state"))(&state);
    return state.kernels_not_executed;
}

void product() {
    const auto on_gpu = at::TensorOptions().device(first_gpu);
    const auto left = at::empty({10, 20}, on_gpu);
    const auto right = at::empty({20, 30}, on_gpu);
    const auto before = kernels_not_executed();
    try {
        const auto result = at::mm(left, right);
        std::printf("shape %d %d, not executed %d\n", static_cast<int>(result.size(0)),
                    static_cast<int>(result.size(1)), static_cast<int>(kernels_not_executed() - before));
    } catch (const c10::Error& error) {
        std::printf("refused: %s\n", error.what_without_backtrace());
    }
}

// LibTorch's sleep takes its time in the stream and computes nothing, so nothing is missing.
void sleep_on_device() {
    at::empty({1}, at::TensorOptions().device(first_gpu));
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start, nullptr);
    at::cuda::sleep(1500000);
    cudaEventRecord(end, nullptr);
    std::printf("at once: %s\n", cudaEventQuery(end) == cudaErrorNotReady ? "not ready" : "ready");
    cudaDeviceSynchronize();
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, end);
    std::printf("slept %.3f ms\n", static_cast<double>(milliseconds));
}

// Every CUDA library that is mapped after LibTorch has used a GPU.
void libraries() {
    at::empty({1}, at::TensorOptions().device(first_gpu)).add_(1);
    std::set<std::string> paths;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto path = line.find('/');
        if (path == std::string::npos) continue;
        for (const char* name : {"/libcuda.so", "/libcudart", "/libnvidia"}) {
            if (line.find(name) != std::string::npos) paths.insert(line.substr(path));
        }
    }
    for (const std::string& path : paths) std::printf("%s\n", path.c_str());
}

}  // namespace

int main(int count, char** words) {
    const std::map<std::string, std::function<void()>> recipes = {
        {"interleaved", [] { interleaved(1025); }},
        {"interleaved_in_steps_of_20", [] { interleaved(1045); }},
        {"unsplit", unsplit},
        {"small_ones", small_ones},
        {"same_size_loop", same_size_loop},
        {"second_gpu", second_gpu},
        {"traffic", print_traffic},
        {"libraries", libraries},
        {"first_touch", first_touch},
        {"product", product},
        {"sleep", sleep_on_device},
    };
    if (count != 2 || !recipes.contains(words[1])) return 2;
    recipes.at(words[1])();
    return 0;
}
