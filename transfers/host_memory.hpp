// tocuda, Apache-2.0.
// Memory of the host, of each kind that a transfer can start from or end in: owned, and given back as it was taken.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace tocuda {

class HostMemory {
public:
    std::byte* get() const { return memory.get(); }

    using Release = std::function<void(std::byte*)>;
    HostMemory(std::byte* taken, Release release) : memory(taken, std::move(release)) {}

private:
    std::unique_ptr<std::byte, Release> memory;
};

// Each throws a CudaError that says how much was asked for.
HostMemory pageable_memory(std::size_t bytes);
HostMemory huge_page_memory(std::size_t bytes);  // pageable, touched, and in huge pages as far as the system gives them
HostMemory pinned_memory(std::size_t bytes, unsigned flags);  // of cudaHostAlloc
HostMemory registered_memory(std::size_t bytes);              // pages, page-locked afterwards
HostMemory registered_memory_on(int node, std::size_t bytes);

// Whether this system gives huge pages to memory that asks for them; and how much of the mapping around an address lies
// in such pages.
bool huge_pages_are_given();
std::size_t bytes_in_huge_pages(const std::byte* within);

// Other pages take the place of these, which nothing has touched: from the start of a page on, to the end of the last
// one.
void renew_pages(std::byte* start, std::size_t bytes);

// Where the GPU reaches page-locked memory: not always by the address that the CPU has for it.
std::byte* as_the_gpu_sees(std::byte* page_locked);

}  // namespace tocuda
