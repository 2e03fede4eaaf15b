// tocuda, Apache-2.0.
// Loads and stores with default caching, as one instruction each and in program order: the compiler would divide
// stores, and use what was loaded before it has issued the last load of a group.
#pragma once

#include "kernels/memory_access.hpp"

namespace tocuda {

constexpr Vector16 ordered_load(const Vector16* from) {
#ifdef __CUDA_ARCH__
    Vector16 to{};
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.words[0]), "=r"(to.words[1]), "=r"(to.words[2]), "=r"(to.words[3])
                 : "l"(from)
                 : "memory");
    return to;
#else
    return *from;
#endif
}

constexpr std::uint32_t ordered_load(const std::uint32_t* from) {
#ifdef __CUDA_ARCH__
    std::uint32_t to = 0;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(to) : "l"(from) : "memory");
    return to;
#else
    return *from;
#endif
}

constexpr std::uint64_t ordered_load(const std::uint64_t* from) {
#ifdef __CUDA_ARCH__
    unsigned long long to = 0;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(to) : "l"(from) : "memory");
    return to;
#else
    return *from;
#endif
}

constexpr void ordered_store(Vector16* to, const Vector16& value) {
#ifdef __CUDA_ARCH__
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.words[0]), "r"(value.words[1]),
                 "r"(value.words[2]), "r"(value.words[3])
                 : "memory");
#else
    *to = value;
#endif
}

}  // namespace tocuda
