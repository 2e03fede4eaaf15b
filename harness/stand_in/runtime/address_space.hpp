// tocuda, Apache-2.0.
// The addresses of one simulated GPU: one reservation, of which only what is allocated can be reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/host_memory.hpp"

namespace tocuda::stand_in {

// Ranges are taken one after the other through the whole reservation before any is taken again, so that what was freed
// stays out of reach for long; and neighbours are kept apart, as long as there are not too many of them for the kernel.
class AddressSpace {
public:
    static constexpr std::size_t granule = std::size_t{2} << 20;

    AddressSpace(std::size_t memory_bytes, int position, HostMemory& host);
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;
    ~AddressSpace();

    static std::size_t rounded(std::size_t bytes) { return (bytes + granule - 1) / granule * granule; }

    bool contains(std::uintptr_t address) const { return address - base_ < span_; }
    std::uintptr_t take(std::size_t bytes);  // addresses only; 0 where there are none left
    void give_back(std::uintptr_t address);  // what `take` gave
    bool open(std::uintptr_t address, std::size_t bytes);
    void close(std::uintptr_t address, std::size_t bytes);  // its contents are gone

    bool touch(std::uintptr_t address,
               std::size_t bytes);  // about to be written; false where the host has no memory left
    bool untouched(std::uintptr_t address, std::size_t bytes) const;  // never written, so all zero
    void clear(std::uintptr_t address, std::size_t bytes);  // whole pages of zeros that cost nothing, the rest written

private:
    using Ranges = std::map<std::uintptr_t, std::size_t>;

    bool touched(std::size_t index) const { return (touched_[index / 64] >> (index % 64) & 1U) != 0; }
    std::uintptr_t take_at(Ranges::iterator range, std::uintptr_t address, std::size_t bytes);

    HostMemory& host_;
    std::uintptr_t base_ = 0;
    std::size_t span_ = 0;
    std::uintptr_t next_ = 0;
    Ranges free_;
    Ranges taken_;
    std::vector<std::uint64_t> touched_;  // a bit for each granule
};

}  // namespace tocuda::stand_in
