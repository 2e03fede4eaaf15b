// tocuda, Apache-2.0.
// What every recording function uses: the counters, the ranges of pinned memory, and the function of the same name that
// comes after the recorder in the search order: the real runtime's or the simulated one's.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "simulator/schema/recorder.h"

namespace tocuda::simulator {

// The recorder's counters: one number for each field of recorder.h, in its order.
class Counters {
public:
    static constexpr std::size_t count =
        (sizeof(tocuda_recorder_totals) - sizeof(std::uint64_t)) / sizeof(std::uint64_t);

    using Numbers = std::array<std::uint64_t, count>;

    static Counters& here();

    void add(std::uint64_t tocuda_recorder_totals::* field, std::uint64_t number = 1) {
        at(offset_of(field)) += number;
    }
    void add(tocuda_recorder_traffic tocuda_recorder_totals::* field, std::uint64_t bytes) {
        const std::size_t offset = offset_of(field);
        at(offset).fetch_add(1, std::memory_order_relaxed);
        at(offset + 1).fetch_add(bytes, std::memory_order_relaxed);
    }

    void mark();
    tocuda_recorder_totals since_mark();
    Numbers since_start() const;

private:
    template <typename Field>
    static std::size_t offset_of(Field tocuda_recorder_totals::* field) {
        static constexpr tocuda_recorder_totals none{};
        const auto* begin = reinterpret_cast<const char*>(&none);
        return static_cast<std::size_t>(reinterpret_cast<const char*>(&(none.*field)) - begin) / sizeof(std::uint64_t) -
               1;
    }
    std::atomic<std::uint64_t>& at(std::size_t offset) { return sums[offset]; }

    std::array<std::atomic<std::uint64_t>, count> sums{};
    std::mutex changing;
    Numbers marked{};
};

void* find_next(const char* name);
bool runtime_was_met();  // whether find_next was ever called

// Looked up once for each function.
template <auto* function>
auto* next(const char* name) {
    static auto* const found = reinterpret_cast<decltype(function)>(find_next(name));
    return found;
}

// Counts a failed call; returns whether it succeeded.
inline bool succeeded(int result) {
    constexpr int not_ready = 600;
    if (result != 0 && result != not_ready) Counters::here().add(&tocuda_recorder_totals::failed_calls);
    return result == 0;
}

// Host memory that the program pinned or registered, to distinguish copies of it from copies of pageable memory.
class PinnedRanges {
public:
    static PinnedRanges& here() {
        static PinnedRanges* const only = new PinnedRanges;
        return *only;
    }

    void add(const void* pointer, std::size_t bytes) {
        const std::unique_lock lock(changing);
        ranges[reinterpret_cast<std::uintptr_t>(pointer)] = bytes;
    }
    void remove(const void* pointer) {
        const std::unique_lock lock(changing);
        ranges.erase(reinterpret_cast<std::uintptr_t>(pointer));
    }
    bool holds(const void* pointer) const {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const std::shared_lock lock(changing);
        const auto after = ranges.upper_bound(address);
        if (after == ranges.begin()) return false;
        const auto& [start, bytes] = *std::prev(after);
        return address - start < bytes;
    }

private:
    mutable std::shared_mutex changing;
    std::map<std::uintptr_t, std::size_t> ranges;
};

}  // namespace tocuda::simulator
