// tocuda, Apache-2.0.
// Lets the CPU's kernels write their results where they belong, in the memory of a simulated GPU, without knowing it:
// an allocation of a result's size gets the result's memory. Which allocation that is cannot be known, so that a
// kernel's own memory may get it; results that are elsewhere must then be copied.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace tocuda::computing {

// In its scope, allocations of this thread may get the memory of these results, each once.
class ResultMemory {
public:
    ResultMemory();
    ~ResultMemory();
    ResultMemory(const ResultMemory&) = delete;
    ResultMemory& operator=(const ResultMemory&) = delete;

    // A CPU tensor over bytes that nothing else uses.
    void offer(const at::Tensor& over);
    // Whether a tensor lies in memory that was offered.
    bool holds(const at::Tensor& tensor) const;
    // Of an allocation of so many bytes; null if no result has this size.
    void* take(std::size_t bytes);

private:
    struct Offer {
        void* data;
        std::size_t bytes;
        bool taken = false;
    };
    std::vector<Offer> offers;
    ResultMemory* around;
};

// Puts itself in front of LibTorch's allocator of the CPU.
void offer_memory_to_kernels();

// Whether the CPU's kernel wrote a result where it belongs.
bool is_there(const at::Tensor& computed, const at::Tensor& over);
// Brings it there otherwise. Returns false where the CPU's result has another size than the GPU's. A result that the
// CPU does not give, or gives without values, is one that the GPU's kernel leaves unset too.
bool put(const at::Tensor& computed, const at::Tensor& over);
// What was not computed must not look like a result.
void poison(const at::Tensor& over);

}  // namespace tocuda::computing
