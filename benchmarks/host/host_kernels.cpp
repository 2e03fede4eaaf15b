// tocuda, Apache-2.0.
// Vectors of 16 bytes, which every processor of both architectures has: enough for memory, while within the caches
// wider ones would be faster.
#include "benchmarks/host/host_kernels.hpp"

#include "measurement/payload.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace tocuda {
namespace {

constexpr double s = 3;
constexpr std::size_t place_of_c = std::size_t{1} << 40;

// In [-2^21, 2^21), so that sums of 2^30 of them are exact.
double number(std::size_t place) { return static_cast<double>(static_cast<std::int64_t>(scrambled(place)) >> 42); }

double wanted(StreamKernel kernel, std::size_t place) {
    const auto b = number(place);
    const auto c = number(place_of_c + place);
    switch (kernel) {
        case StreamKernel::read:
        case StreamKernel::copy:
            return b;
        case StreamKernel::scale:
            return s * b;
        case StreamKernel::add:
            return b + c;
        case StreamKernel::triad:
            return b + s * c;
    }
    return 0;
}

using Pair [[gnu::vector_size(16), gnu::may_alias]] = double;

template <StreamKernel kernel>
Pair computed(const Pair* b, const Pair* c, std::size_t i) {
    if constexpr (kernel == StreamKernel::copy) return b[i];
    if constexpr (kernel == StreamKernel::scale) return s * b[i];
    if constexpr (kernel == StreamKernel::add) return b[i] + c[i];
    if constexpr (kernel == StreamKernel::triad) return b[i] + s * c[i];
}

template <bool past_caches>
void store(Pair* to, const Pair& value) {
#ifdef __SSE2__
    if constexpr (past_caches) return _mm_stream_pd(reinterpret_cast<double*>(to), value);
#endif
    *to = value;
}

// A line at a time. The empty statement keeps the compiler from replacing the loop by a call of memcpy, which has its
// own opinion about how to store.
template <StreamKernel kernel, bool past_caches>
void through(std::span<double> a, const double* b, const double* c) {
    auto* to = reinterpret_cast<Pair*>(a.data());
    const auto* left = reinterpret_cast<const Pair*>(b);
    const auto* right = reinterpret_cast<const Pair*>(c);
    for (std::size_t i = 0; i < a.size() / 2; i += 4) {
        const Pair line[]{computed<kernel>(left, right, i), computed<kernel>(left, right, i + 1),
                          computed<kernel>(left, right, i + 2), computed<kernel>(left, right, i + 3)};
        for (unsigned j = 0; j < 4; ++j) store<past_caches>(to + i + j, line[j]);
        asm volatile("");
    }
#ifdef __SSE2__
    if constexpr (past_caches) _mm_sfence();  // otherwise the last stores may still be on their way when time is read
#endif
}

double sum_of(std::span<const double> b) {
    const auto* from = reinterpret_cast<const Pair*>(b.data());
    Pair sums[8]{};  // so many that no addition waits for the one before it
    std::size_t i = 0;
    for (; i + 8 <= b.size() / 2; i += 8)
        for (unsigned j = 0; j < 8; ++j) sums[j] += from[i + j];
    for (; i < b.size() / 2; ++i) sums[0] += from[i];
    double sum = 0;
    for (const auto& each : sums) sum += each[0] + each[1];
    return sum;
}

template <bool past_caches>
double run(StreamKernel kernel, std::span<double> a, const double* b, const double* c) {
    switch (kernel) {
        case StreamKernel::read:
            return sum_of({b, a.size()});
        case StreamKernel::copy:
            through<StreamKernel::copy, past_caches>(a, b, c);
            break;
        case StreamKernel::scale:
            through<StreamKernel::scale, past_caches>(a, b, c);
            break;
        case StreamKernel::add:
            through<StreamKernel::add, past_caches>(a, b, c);
            break;
        case StreamKernel::triad:
            through<StreamKernel::triad, past_caches>(a, b, c);
            break;
    }
    return 0;
}

}  // namespace

bool stores_past_caches() {
#ifdef __SSE2__
    return true;
#else
    return false;
#endif
}

double run_host_kernel(StreamKernel kernel, bool past_caches, std::span<double> a, const double* b, const double* c) {
    return past_caches ? run<true>(kernel, a, b, c) : run<false>(kernel, a, b, c);
}

void write_host_numbers(std::span<double> to, std::size_t place, bool of_c) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = number((of_c ? place_of_c : 0) + place + i);
}

std::optional<std::size_t> first_wrong(StreamKernel kernel, std::span<const double> a, std::size_t place) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != wanted(kernel, place + i)) return i;
    return std::nullopt;
}

double host_sum(std::size_t place, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += number(place + i);
    return sum;
}

}  // namespace tocuda
