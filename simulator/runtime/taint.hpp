// tocuda, Apache-2.0.
// Which bytes of the GPUs depend on something that was not computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

namespace tocuda::simulator {

class Taint {
public:
    bool none() const { return ranges.empty(); }

    void add(std::uintptr_t address, std::size_t bytes, const std::string& what) {
        clear(address, bytes);
        if (bytes > 0) ranges[address] = {address + bytes, what};
    }

    void clear(std::uintptr_t address, std::size_t bytes) {
        const std::uintptr_t end = address + bytes;
        for (auto range = first_after(address); range != ranges.end() && range->first < end;) {
            const auto [begin, covered] = *range;
            range = ranges.erase(range);
            if (begin < address) ranges[begin] = {address, covered.what};
            if (covered.end > end) ranges[end] = covered;
        }
    }

    // What was not computed that a byte of the range depends on; null if nothing.
    const std::string* in(std::uintptr_t address, std::size_t bytes) {
        const auto range = first_after(address);
        return range != ranges.end() && range->first < address + bytes ? &range->second.what : nullptr;
    }

private:
    struct Covered {
        std::uintptr_t end = 0;
        std::string what{};
    };

    // The first range that ends behind the address.
    std::map<std::uintptr_t, Covered>::iterator first_after(std::uintptr_t address) {
        auto range = ranges.upper_bound(address);
        if (range != ranges.begin() && std::prev(range)->second.end > address) --range;
        return range;
    }

    std::map<std::uintptr_t, Covered> ranges;  // by their beginning
};

}  // namespace tocuda::simulator
