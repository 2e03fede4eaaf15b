// tocuda, Apache-2.0.
#include "runtime/address_space.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace tocuda::simulator {
namespace {

constexpr std::int64_t look_again_after = std::int64_t{64} << 20;
constexpr std::int64_t reserve = std::int64_t{256} << 20;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::string contents_of(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    char text[4096];
    const auto got = ::read(file, text, sizeof text);
    ::close(file);
    return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : std::string{};
}

std::int64_t machine_has_left() {
    const std::string text = contents_of("/proc/meminfo");
    const auto at = text.find("MemAvailable:");
    if (at == std::string::npos) return unlimited;
    return std::strtoll(text.c_str() + at + std::strlen("MemAvailable:"), nullptr, 10) * 1024;
}

std::int64_t group_has_left() {
    const std::string most = contents_of("/sys/fs/cgroup/memory.max");
    const std::string now = contents_of("/sys/fs/cgroup/memory.current");
    if (most.empty() || now.empty() || most.starts_with("max")) return unlimited;
    return std::strtoll(most.c_str(), nullptr, 10) - std::strtoll(now.c_str(), nullptr, 10);
}

constexpr std::size_t least_span = std::size_t{1} << 40;
// A fixed place, because allocators order blocks by address.
constexpr std::uintptr_t first_address = std::uintptr_t{0x20} << 40;
constexpr std::size_t ranges_kept_apart = 20000;  // each costs two of the kernel's 65,530 mappings
constexpr std::size_t many_granules = 8;
constexpr int reserving = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

bool map_file(std::uintptr_t address, std::size_t bytes, int file, std::size_t offset) {
    return ::mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                  static_cast<off_t>(offset)) != MAP_FAILED;
}

bool write_all(int file, std::uintptr_t from, std::size_t bytes, std::size_t offset) {
    for (std::size_t done = 0; done < bytes;) {
        const auto wrote = ::pwrite(file, pointer(from + done), bytes - done, static_cast<off_t>(offset + done));
        if (wrote <= 0) return false;
        done += static_cast<std::size_t>(wrote);
    }
    return true;
}

}  // namespace

bool HostMemory::charge(std::int64_t bytes) {
    const bool fits = most_bytes >= 0 ? charged + bytes <= most_bytes : fits_on_host(bytes);
    if (fits) charged += bytes;
    return fits;
}

// A reading is used for at most 64 MiB, because others use the same memory.
bool HostMemory::fits_on_host(std::int64_t bytes) {
    if (bytes > known_free) {
        const std::int64_t left = std::min(machine_has_left(), group_has_left()) - reserve;
        if (bytes > left) return false;
        known_free = std::min(left, std::max(bytes, look_again_after));
    }
    known_free -= bytes;
    return true;
}

AddressSpace::AddressSpace(std::size_t memory_bytes, int position, HostMemory& host) : host_memory(host) {
    const std::size_t most = std::max(least_span, rounded(memory_bytes) * 16);
    const std::uintptr_t wish = first_address + static_cast<std::uintptr_t>(position) * (std::uintptr_t{4} << 40);
    for (std::size_t span = most; span >= rounded(memory_bytes) + granule && reserved == 0;
         span = span / 2 / granule * granule) {
        void* got = ::mmap(pointer(wish), span + granule, PROT_NONE, reserving, -1, 0);
        if (got == MAP_FAILED) continue;
        base = rounded(reinterpret_cast<std::uintptr_t>(got));
        reserved = span;
    }
    if (reserved == 0) return;
    next_address = base;
    free[base] = reserved;
    touched_bits.resize(reserved / granule / 64 + 1);
}

AddressSpace::~AddressSpace() {
    if (reserved != 0) ::munmap(pointer(base), reserved);
}

std::uintptr_t AddressSpace::take_at(Ranges::iterator range, std::uintptr_t address, std::size_t bytes) {
    const auto [start, size] = *range;
    const std::uintptr_t end = start + size;
    if (address == start) {
        free.erase(range);
    } else {
        range->second = address - start;
    }
    if (address + bytes < end) free[address + bytes] = end - address - bytes;
    taken[address] = bytes;
    next_address = address + bytes;
    return address;
}

std::uintptr_t AddressSpace::take(std::size_t bytes) {
    const std::size_t apart = taken.size() < ranges_kept_apart ? granule : 0;
    const std::size_t wanted = rounded(bytes) + apart;
    const auto start = free.lower_bound(next_address);
    // The range that `next_address` lies in may have merged with freed ranges before it.
    if (start != free.begin()) {
        const auto around = std::prev(start);
        const std::uintptr_t end = around->first + around->second;
        if (end > next_address && end - next_address >= wanted) return take_at(around, next_address, wanted);
    }
    for (auto range = start; range != free.end(); ++range) {
        if (range->second >= wanted) return take_at(range, range->first, wanted);
    }
    for (auto range = free.begin(); range != start; ++range) {
        if (range->second >= wanted) return take_at(range, range->first, wanted);
    }
    return 0;
}

void AddressSpace::give_back(std::uintptr_t address) {
    const auto found = taken.find(address);
    if (found == taken.end()) return;
    auto range = free.emplace(address, found->second).first;
    taken.erase(found);
    const auto after = std::next(range);
    if (after != free.end() && range->first + range->second == after->first) {
        range->second += after->second;
        free.erase(after);
    }
    if (range == free.begin()) return;
    const auto before = std::prev(range);
    if (before->first + before->second == range->first) {
        before->second += range->second;
        free.erase(range);
    }
}

bool AddressSpace::open(std::uintptr_t address, std::size_t bytes) {
    return ::mprotect(pointer(address), bytes, PROT_READ | PROT_WRITE) == 0;
}

void AddressSpace::close(std::uintptr_t address, std::size_t bytes) {
    ::mmap(pointer(address), bytes, PROT_NONE, reserving | MAP_FIXED, -1, 0);
    forget_file(address, bytes);
    for (std::size_t i = (address - base) / granule; i < (address + bytes - base) / granule; ++i) {
        if (!touched(i)) continue;
        touched_bits[i / 64] &= ~(std::uint64_t{1} << (i % 64));
        host_memory.release(static_cast<std::int64_t>(granule));
    }
}

bool AddressSpace::open_file(std::uintptr_t address, std::size_t bytes, int file) {
    if (!map_file(address, bytes, file, 0)) return false;
    forget_file(address, bytes);
    in_files[address] = bytes;
    return true;
}

// Piece by piece, so that the host has no more than one of them twice.
bool AddressSpace::move_to_file(std::uintptr_t address, std::size_t bytes, int file) {
    for (std::size_t done = 0; done < bytes; done += granule) {
        const std::uintptr_t at = address + done;
        const bool empty = untouched(at, granule);
        if ((!empty && !write_all(file, at, granule, done)) || !map_file(at, granule, file, done)) return false;
        in_files[at] = granule;
    }
    return true;
}

// The first range in a file that ends behind the address.
AddressSpace::Ranges::const_iterator AddressSpace::in_file_from(std::uintptr_t address) const {
    auto range = in_files.upper_bound(address);
    if (range != in_files.begin() && std::prev(range)->first + std::prev(range)->second > address) --range;
    return range;
}

void AddressSpace::forget_file(std::uintptr_t address, std::size_t bytes) {
    in_files.erase(in_files.lower_bound(address), in_files.lower_bound(address + bytes));
}

bool AddressSpace::touch(std::uintptr_t address, std::size_t bytes) {
    if (bytes == 0) return true;
    const std::size_t first = (address - base) / granule;
    const std::size_t last = (address + bytes - 1 - base) / granule;
    std::size_t fresh = 0;
    for (std::size_t i = first; i <= last; ++i) fresh += touched(i) ? 0 : 1;
    if (fresh == 0) return true;
    if (!host_memory.charge(static_cast<std::int64_t>(fresh * granule))) return false;
    // Touching much at once is faster in large pages; a little here and there would pay for whole large pages.
    if (fresh >= many_granules) ::madvise(pointer(base + first * granule), (last - first + 1) * granule, MADV_HUGEPAGE);
    for (std::size_t i = first; i <= last; ++i) touched_bits[i / 64] |= std::uint64_t{1} << (i % 64);
    return true;
}

bool AddressSpace::untouched(std::uintptr_t address, std::size_t bytes) const {
    if (bytes == 0) return true;
    const std::size_t last = (address + bytes - 1 - base) / granule;
    for (std::size_t i = (address - base) / granule; i <= last; ++i) {
        if (touched(i)) return false;
    }
    const auto file = in_file_from(address);
    return file == in_files.end() || file->first >= address + bytes;
}

void AddressSpace::clear(std::uintptr_t address, std::size_t bytes) {
    if (untouched(address, bytes)) return;
    const std::uintptr_t first_page = (address + page - 1) / page * page;
    const std::uintptr_t end_page = (address + bytes) / page * page;
    // Pages that are given back and soon written again cost more than their zeros.
    if (bytes < many_granules * granule) {
        std::memset(pointer(address), 0, bytes);
        return;
    }
    std::memset(pointer(address), 0, first_page - address);
    drop_pages(first_page, end_page - first_page);
    std::memset(pointer(end_page), 0, address + bytes - end_page);
}

// Those in a file for all who have it.
void AddressSpace::drop_pages(std::uintptr_t address, std::size_t bytes) {
    const std::uintptr_t end = address + bytes;
    for (auto file = in_file_from(address); address < end; ++file) {
        const bool any = file != in_files.end() && file->first < end;
        const std::uintptr_t start = any ? std::max(address, file->first) : end;
        if (start > address) ::madvise(pointer(address), start - address, MADV_DONTNEED);
        if (!any) return;
        address = std::min(end, file->first + file->second);
        ::madvise(pointer(start), address - start, MADV_REMOVE);
    }
}

}  // namespace tocuda::simulator
