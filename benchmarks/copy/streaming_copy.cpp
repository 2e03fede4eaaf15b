// tocuda, Apache-2.0.
// Uses non-temporal stores where the processor has them, and memcpy elsewhere.
#include "benchmarks/copy/streaming_copy.hpp"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace tocuda {

#ifdef __SSE2__
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t worth_it = 4096;  // below this size, cached stores are faster

using Lines = void (*)(std::byte*, const std::byte*, std::size_t);

// Copies whole lines of the target; the source needs no alignment.
void lines16(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += line_bytes) {
        const auto* source = reinterpret_cast<const __m128i*>(from + i);
        auto* target = reinterpret_cast<__m128i*>(to + i);
        const auto first = _mm_loadu_si128(source);
        const auto second = _mm_loadu_si128(source + 1);
        const auto third = _mm_loadu_si128(source + 2);
        const auto fourth = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, first);
        _mm_stream_si128(target + 1, second);
        _mm_stream_si128(target + 2, third);
        _mm_stream_si128(target + 3, fourth);
    }
}

[[gnu::target("avx512f")]] void lines64(std::byte* to, const std::byte* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += line_bytes)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
}

Lines best_lines() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? lines64 : lines16;
}

}  // namespace

void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    static const Lines lines = best_lines();
    if (bytes < worth_it) {
        if (bytes != 0) std::memcpy(to, from, bytes);
        return;
    }
    const auto past = reinterpret_cast<std::uintptr_t>(to) % line_bytes;
    const auto head = past == 0 ? 0 : line_bytes - past;
    const auto middle = (bytes - head) / line_bytes * line_bytes;
    const auto tail = head + middle;
    std::memcpy(to, from, head);
    lines(to + head, from + head, middle);
    _mm_sfence();  // otherwise another thread could see later stores before these
    std::memcpy(to + tail, from + tail, bytes - tail);
}
#else
void streaming_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
}
#endif

}  // namespace tocuda
