// tocuda, Apache-2.0.
// For tests: a CUDA runtime that does everything at once in ordinary host memory, so that the address sanitizer sees
// each access of a kernel, and the memory that such tests need.
#pragma once

#include <sys/mman.h>

#include <memory>
#include <new>
#include <vector>

#include "kernels/kernel.hpp"
#include "measurement/block.hpp"
#include "measurement/host_execution.hpp"

namespace tocuda {

// How launches run, and the last one.
struct Launches {
    ThreadOrder order = ThreadOrder::ascending;
    unsigned most_blocks = ~0U;
    bool ends_only = false;  // only the first and the last block
    bool none = false;
    unsigned count = 0;
    Grid last{};
    bool last_was_launch = false;  // not a fill
    std::size_t filled = 0;        // bytes
};
Launches& launches();

struct Aligned {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{256}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], Aligned>;
inline AlignedBytes aligned_bytes(std::size_t bytes) {
    return AlignedBytes(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{256})));
}

inline const GpuFacts& small_gpu() {
    static const GpuFacts gpu{
        .compute_capability = 100, .multiprocessors = 2, .l2_bytes = std::size_t{1} << 20, .shared_bytes = 232448};
    return gpu;
}

// Returns the first value of each parameter, with this size.
Parameters first_set(const Kernel& kernel, std::size_t bytes);

// Offsets of the target and the source from a multiple of 256.
struct Offsets {
    std::size_t to = 0;
    std::size_t from = 0;
};

// Returns what the kernel does wrong, or "" also if the set is skipped. Sources end where their allocations end; the
// target lies between guards.
std::string wrong(const Kernel& kernel, const Parameters& set, const Launches& how = {}, Offsets offsets = {});

// An address range whose pages get memory, initially zero, only when accessed.
class Reserved {
public:
    explicit Reserved(std::size_t size) : bytes(size) {
        void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) throw std::bad_alloc();
        memory = static_cast<std::byte*>(got);
    }
    Reserved(const Reserved&) = delete;
    Reserved& operator=(const Reserved&) = delete;
    ~Reserved() { ::munmap(memory, bytes); }
    std::byte* get() const { return memory; }
    template <class Element>
    Element* as() const {
        return reinterpret_cast<Element*>(memory);
    }

private:
    std::size_t bytes;
    std::byte* memory = nullptr;
};

// Runs the first and the last block of a kernel that runs every tile in a block of its own.
void run_ends(const Kernel& kernel, const Parameters& set, const Arrays& arrays);

}  // namespace tocuda
