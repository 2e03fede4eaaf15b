// tocuda, Apache-2.0.
// The block on the CPU: the view of one thread, and what the threads of a block share.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace tocuda {

// Undefined behaviour on a GPU: a barrier that not every thread reaches, or more shared memory than the launch
// requested.
struct KernelFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Each array is a separate allocation, so that the address sanitizer finds accesses out of bounds.
class SharedMemory {
public:
    SharedMemory(std::size_t limit_bytes, std::byte pattern) : limit(limit_bytes), fill(pattern) {}
    void* array(std::size_t number, std::size_t bytes, std::size_t alignment);

private:
    struct Free {
        std::size_t alignment;
        void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{alignment}); }
    };
    struct Array {
        std::unique_ptr<std::byte[], Free> memory;
        std::size_t bytes;
    };
    std::size_t limit;
    std::size_t used = 0;
    std::byte fill;
    std::vector<Array> arrays{};
};

class Waiting {
public:
    virtual void wait() = 0;  // until every thread of the block waits

protected:
    ~Waiting() = default;
};

struct HostBlock {
    unsigned thread = 0;
    unsigned threads = 1;
    unsigned block = 0;
    unsigned blocks = 1;
    SharedMemory* memory = nullptr;
    Waiting* waiting = nullptr;
    std::size_t arrays = 0;  // requested by this thread so far

    void barrier() const { waiting->wait(); }
    void keep_lowest(unsigned long long* into, unsigned long long value) const {
        if (value < *into) *into = value;
    }
    void add(unsigned long long* to, unsigned long long value) const { *to += value; }
    void* shared_array(std::size_t bytes, std::size_t alignment) { return memory->array(arrays++, bytes, alignment); }
};

}  // namespace tocuda
