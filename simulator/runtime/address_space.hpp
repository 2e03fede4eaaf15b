// tocuda, Apache-2.0.
// The addresses of one simulated GPU: one reservation, of which only the allocated ranges can be accessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tocuda::simulator {

// Limits how much host memory the simulated GPUs touch, so that a GPU runs out of memory before the machine does.
inline constexpr std::size_t page = 4096;

class HostMemory {
public:
    // A negative `limit` stands for what the host has available, less a reserve, read as memory is used.
    explicit HostMemory(std::int64_t limit) : most_bytes(limit) {}

    bool charge(std::int64_t bytes);
    void release(std::int64_t bytes) { charged -= bytes; }

private:
    bool fits_on_host(std::int64_t bytes);

    std::int64_t most_bytes;
    std::int64_t charged = 0;
    std::int64_t known_free = 0;  // of the last reading, less what was charged since
};

// Hands out ranges one after the other through the whole reservation before reusing any, so that freed memory stays
// inaccessible for long. Keeps neighbours apart unless that would take too many of the kernel's mappings.
class AddressSpace {
public:
    static constexpr std::size_t granule = std::size_t{2} << 20;

    AddressSpace(std::size_t memory_bytes, int position, HostMemory& host);
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;
    ~AddressSpace();

    static std::size_t rounded(std::size_t bytes) { return (bytes + granule - 1) / granule * granule; }

    bool contains(std::uintptr_t address) const { return address - base < reserved; }
    std::uintptr_t take(std::size_t bytes);  // addresses only; 0 if none are left
    void give_back(std::uintptr_t address);  // an address that `take` returned
    bool open(std::uintptr_t address, std::size_t bytes);
    void close(std::uintptr_t address, std::size_t bytes);  // discards the contents, or leaves them to who shares them

    // Opens a range that is kept in a file, so that several processes can have it.
    bool open_file(std::uintptr_t address, std::size_t bytes, int file);
    // Moves the contents of an open range to a file. Its addresses stay, and reading goes on meanwhile; nobody may
    // write.
    bool move_to_file(std::uintptr_t address, std::size_t bytes, int file);

    // Call before writing. False if the host has no memory left.
    bool touch(std::uintptr_t address, std::size_t bytes);
    // Never written, so all zero. What is in a file may be written by others.
    bool untouched(std::uintptr_t address, std::size_t bytes) const;
    // Sets bytes to zero: whole pages by dropping them, which costs nothing, the rest by writing.
    void clear(std::uintptr_t address, std::size_t bytes);

private:
    using Ranges = std::map<std::uintptr_t, std::size_t>;

    bool touched(std::size_t index) const { return (touched_bits[index / 64] >> (index % 64) & 1U) != 0; }
    std::uintptr_t take_at(Ranges::iterator range, std::uintptr_t address, std::size_t bytes);
    Ranges::const_iterator in_file_from(std::uintptr_t address) const;
    void forget_file(std::uintptr_t address, std::size_t bytes);
    void drop_pages(std::uintptr_t address, std::size_t bytes);

    HostMemory& host_memory;
    std::uintptr_t base = 0;
    std::size_t reserved = 0;
    std::uintptr_t next_address = 0;
    Ranges free;
    Ranges taken;
    Ranges in_files;
    std::vector<std::uint64_t> touched_bits;  // one bit per granule
};

}  // namespace tocuda::simulator
