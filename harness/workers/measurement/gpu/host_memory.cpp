// tocuda, Apache-2.0.
// Maps pageable memory with mmap and gets page-locked memory from the CUDA runtime.
#include "measurement/gpu/host_memory.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

constexpr int protection = PROT_READ | PROT_WRITE;
constexpr int private_pages = MAP_PRIVATE | MAP_ANONYMOUS;
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::string of(const char* call, std::size_t bytes) {
    return std::string(call) + " of " + std::to_string(bytes) + " bytes";
}

// Must run before the pages are touched. Uses the system call, because libnuma is not installed everywhere.
void bind_pages(std::byte* start, std::size_t bytes, int node) {
    constexpr int bind = 2;  // MPOL_BIND
    constexpr int bits = CHAR_BIT * sizeof(unsigned long);
    std::array<unsigned long, 16> nodes{};
    if (node < 0 || node >= bits * static_cast<int>(nodes.size()))
        throw CudaError("mbind to node " + std::to_string(node), cudaErrorInvalidValue);
    nodes[static_cast<std::size_t>(node / bits)] = 1UL << node % bits;
    if (syscall(SYS_mbind, start, bytes, bind, nodes.data(), bits * nodes.size(), 0U) != 0)
        throw CudaError("mbind to node " + std::to_string(node), cudaErrorNotSupported);
}

HostMemory locked(HostMemory pages, std::size_t bytes) {
    require(of("cudaHostRegister", bytes).c_str(), cudaHostRegister(pages.get(), bytes, cudaHostRegisterDefault));
    auto* start = pages.get();
    auto owner = std::make_shared<HostMemory>(std::move(pages));
    return {start, [owner](std::byte* memory) { cudaHostUnregister(memory); }};
}

}  // namespace

HostMemory pageable_memory(std::size_t bytes) {
    auto* memory = mmap(nullptr, bytes, protection, private_pages, -1, 0);
    if (memory == MAP_FAILED) throw CudaError(of("mmap", bytes), cudaErrorMemoryAllocation);
    return {static_cast<std::byte*>(memory), [bytes](std::byte* taken) { munmap(taken, bytes); }};
}

HostMemory pageable_memory_on(std::optional<int> node, std::size_t bytes) {
    auto pages = pageable_memory(bytes);
    if (node) bind_pages(pages.get(), bytes, *node);
    return pages;
}

HostMemory huge_page_memory(std::size_t bytes) { return pageable_memory_of(PageSize::huge, any_node, bytes); }

HostMemory pageable_memory_of(PageSize pages, int node, std::size_t bytes) {
    const auto all = in_huge_pages(bytes) + huge_page;
    auto* memory = mmap(nullptr, all, protection, private_pages, -1, 0);
    if (memory == MAP_FAILED) throw CudaError(of("mmap", all), cudaErrorMemoryAllocation);
    const auto past = reinterpret_cast<std::uintptr_t>(memory) % huge_page;
    auto* start = static_cast<std::byte*>(memory) + (past == 0 ? 0 : huge_page - past);
    HostMemory taken{start, [memory, all](std::byte*) { munmap(memory, all); }};
    // Fails if there are no huge pages; bytes_in_huge_pages then returns 0.
    static_cast<void>(madvise(start, all - huge_page, pages == PageSize::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
    if (node != any_node) bind_pages(start, all - huge_page, node);
    std::memset(start, 0, bytes);
    return taken;
}

bool huge_pages_are_given() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string line;
    return std::getline(file, line) && line.find("[never]") == std::string::npos;
}

std::size_t bytes_in_huge_pages(const std::byte* within) {
    std::ifstream file("/proc/self/smaps");
    const auto address = reinterpret_cast<std::uintptr_t>(within);
    bool here = false;
    for (std::string line; std::getline(file, line);) {
        std::uintptr_t start = 0;
        std::uintptr_t end = 0;
        std::size_t kibibytes = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
            here = start <= address && address < end;
        else if (here && std::sscanf(line.c_str(), "AnonHugePages: %zu kB", &kibibytes) == 1) return kibibytes << 10;
    }
    return 0;
}

std::optional<int> node_of(const std::byte* page) {
    constexpr unsigned long of_an_address = 1 | 2;  // MPOL_F_NODE, MPOL_F_ADDR
    int node = any_node;
    if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, page, of_an_address) != 0) return std::nullopt;
    return node;
}

std::size_t in_huge_pages(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

std::size_t free_reserved_huge_page_bytes() {
    const auto pages = [](const char* which) {
        std::size_t count = 0;
        std::ifstream(std::string("/sys/kernel/mm/hugepages/hugepages-2048kB/") + which) >> count;
        return count;
    };
    const auto free = pages("free_hugepages");
    return (free - std::min(free, pages("resv_hugepages"))) *
           huge_page;  // mappings not touched yet have theirs promised
}

HostMemory reserved_huge_page_memory(std::size_t bytes) {
    const auto all = in_huge_pages(bytes);
    constexpr int of_two_mebibytes = 21 << 26;  // MAP_HUGE_2MB, which not every C library declares
    auto* memory = mmap(nullptr, all, protection, private_pages | MAP_HUGETLB | of_two_mebibytes, -1, 0);
    if (memory == MAP_FAILED) throw CudaError(of("mmap with MAP_HUGETLB", all), cudaErrorMemoryAllocation);
    return {static_cast<std::byte*>(memory), [all](std::byte* taken) { munmap(taken, all); }};
}

HostMemory pinned_memory(std::size_t bytes, unsigned flags) {
    void* memory = nullptr;
    require(of("cudaHostAlloc", bytes).c_str(), cudaHostAlloc(&memory, bytes, flags));
    return {static_cast<std::byte*>(memory), [](std::byte* taken) { cudaFreeHost(taken); }};
}

HostMemory registered_memory(std::size_t bytes) { return locked(pageable_memory(bytes), bytes); }

HostMemory registered_memory_on(int node, std::size_t bytes) { return locked(pageable_memory_on(node, bytes), bytes); }

std::byte* as_the_gpu_sees(std::byte* page_locked) {
    void* seen = nullptr;
    require("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&seen, page_locked, 0));
    return static_cast<std::byte*>(seen);
}

void renew_pages(std::byte* start, std::size_t bytes) {
    if (bytes == 0) return;
    if (mmap(start, bytes, protection, private_pages | MAP_FIXED, -1, 0) == MAP_FAILED)
        throw CudaError(of("mmap", bytes), cudaErrorMemoryAllocation);
}

}  // namespace tocuda
