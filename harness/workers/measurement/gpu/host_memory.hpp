// tocuda, Apache-2.0.
// Owned host memory of each kind that a transfer can read or write, released the way it was allocated.
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

enum class PageSize { small, huge };
inline constexpr int any_node = -1;

// Each throws a CudaError that names the requested size.
HostMemory pageable_memory(std::size_t bytes);
HostMemory pageable_memory_on(std::optional<int> node, std::size_t bytes);
HostMemory huge_page_memory(std::size_t bytes);  // pageable, touched, in huge pages as far as the system grants them
HostMemory pageable_memory_of(PageSize pages, int node, std::size_t bytes);  // touched; huge as far as they are granted
HostMemory reserved_huge_page_memory(std::size_t bytes);  // pageable, in huge pages that the administrator reserved
std::size_t in_huge_pages(std::size_t bytes);             // rounded up to whole ones
std::size_t free_reserved_huge_page_bytes();
HostMemory pinned_memory(std::size_t bytes, unsigned flags);  // by cudaHostAlloc
HostMemory registered_memory(std::size_t bytes);              // pageable memory, page-locked afterwards
HostMemory registered_memory_on(int node, std::size_t bytes);

// Returns whether this system grants transparent huge pages on request.
bool huge_pages_are_given();
// Returns how much of the mapping around an address is in huge pages.
std::size_t bytes_in_huge_pages(const std::byte* within);

// Returns the NUMA node of a touched page; nullopt if the system does not say.
std::optional<int> node_of(const std::byte* page);

// Replaces these pages by untouched ones. `start` is the start of a page; the last page is replaced as a whole.
void renew_pages(std::byte* start, std::size_t bytes);

// Returns the GPU's address of page-locked memory, which may differ from the CPU's.
std::byte* as_the_gpu_sees(std::byte* page_locked);

}  // namespace tocuda
