// tocuda, Apache-2.0.
// Host memory that the program pinned or registered, to distinguish copies of it from copies of pageable memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace tocuda::simulator {

class PinnedRanges {
public:
    static PinnedRanges& here() {
        static PinnedRanges* const only = new PinnedRanges;
        return *only;
    }

    void add(const void* pointer, std::size_t bytes) {
        const std::unique_lock lock(mutex_);
        ranges_[reinterpret_cast<std::uintptr_t>(pointer)] = bytes;
    }
    void remove(const void* pointer) {
        const std::unique_lock lock(mutex_);
        ranges_.erase(reinterpret_cast<std::uintptr_t>(pointer));
    }
    bool holds(const void* pointer) const {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const std::shared_lock lock(mutex_);
        const auto after = ranges_.upper_bound(address);
        if (after == ranges_.begin()) return false;
        const auto& [start, bytes] = *std::prev(after);
        return address - start < bytes;
    }

private:
    mutable std::shared_mutex mutex_;
    std::map<std::uintptr_t, std::size_t> ranges_;
};

}  // namespace tocuda::simulator
