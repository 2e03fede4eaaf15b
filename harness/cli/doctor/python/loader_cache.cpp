// tocuda, Apache-2.0.
#include "doctor/python/loader_cache.hpp"

#include <cstdint>
#include <cstring>

namespace tocuda::doctor {
namespace {

// The format of glibc 2.1 and later; older caches hold it behind another one.
constexpr std::string_view cache_mark = "glibc-ld.so.cache1.1";

struct CacheEntry {
    std::int32_t flags;
    std::uint32_t name;  // offsets from the mark
    std::uint32_t path;
    std::uint32_t kernel;
    std::uint64_t capabilities;
};

std::string_view text_at(std::string_view cache, std::uint32_t at) {
    if (at >= cache.size()) return {};
    return cache.substr(at, cache.find('\0', at) - at);
}

}  // namespace

std::map<std::string, std::string, std::less<>> loader_cache_of(std::string_view text) {
    constexpr std::size_t header = 48;
    constexpr std::uint32_t architecture = 0xff00;  // 3: x86-64, 10: aarch64; 0: 32 bits
    std::map<std::string, std::string, std::less<>> paths;
    const auto begin = text.find(cache_mark);
    if (begin == std::string_view::npos || text.size() - begin < header) return paths;
    text.remove_prefix(begin);
    std::uint32_t count = 0;
    std::memcpy(&count, text.data() + cache_mark.size(), sizeof count);
    for (std::size_t index = 0; index < count && header + (index + 1) * sizeof(CacheEntry) <= text.size(); ++index) {
        CacheEntry entry;
        std::memcpy(&entry, text.data() + header + index * sizeof entry, sizeof entry);
        if ((static_cast<std::uint32_t>(entry.flags) & architecture) == 0) continue;
        paths.emplace(text_at(text, entry.name), text_at(text, entry.path));
    }
    return paths;
}

}  // namespace tocuda::doctor
