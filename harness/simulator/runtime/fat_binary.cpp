// tocuda, Apache-2.0.
#include "runtime/fat_binary.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tocuda::simulator {
namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;
constexpr std::uint32_t binary_magic = 0xba55ed50;
constexpr std::uint16_t intermediate_code = 1;
constexpr std::uint16_t machine_code = 2;

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const unsigned char* data;
    const void* more;
};

struct Header {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t payload_bytes;
};

struct Entry {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t payload_bytes;
    std::uint32_t compressed_bytes;
    std::uint32_t options;
    std::uint16_t code_minor;
    std::uint16_t code_major;
    std::uint32_t architecture;  // 90 for compute capability 9.0
};

template <typename Value>
Value read(const unsigned char* from) {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

bool runs_on(const Entry& entry, int major, int minor) {
    const int architecture = static_cast<int>(entry.architecture);
    if (entry.kind == intermediate_code) return architecture <= 10 * major + minor;
    return entry.kind == machine_code && architecture / 10 == major && architecture % 10 <= minor;
}

}  // namespace

bool holds_code_for(const void* fat_binary_wrapper, int major, int minor) {
    const auto wrapper = read<Wrapper>(static_cast<const unsigned char*>(fat_binary_wrapper));
    if (wrapper.magic != wrapper_magic || wrapper.data == nullptr) return true;
    const auto header = read<Header>(wrapper.data);
    if (header.magic != binary_magic) return true;
    const unsigned char* at = wrapper.data + header.header_bytes;
    const unsigned char* const end = at + header.payload_bytes;
    while (at + sizeof(Entry) <= end) {
        const auto entry = read<Entry>(at);
        if (entry.kind != intermediate_code && entry.kind != machine_code) return true;
        if (runs_on(entry, major, minor)) return true;
        at += entry.header_bytes + entry.payload_bytes;
    }
    return false;
}

}  // namespace tocuda::simulator
