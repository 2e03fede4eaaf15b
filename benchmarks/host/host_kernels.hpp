// tocuda, Apache-2.0.
// The kernels of STREAM and BabelStream for a thread of the host, and what they must compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tocuda {

// a = b; a = s b; a = b + c; a = b + s c; and the sum of b, which stores nothing.
enum class StreamKernel { read, copy, scale, add, triad };

constexpr unsigned arrays_touched(StreamKernel kernel) {
    return kernel == StreamKernel::read ? 1 : kernel == StreamKernel::copy || kernel == StreamKernel::scale ? 2 : 3;
}

constexpr std::size_t host_line = 64;  // bytes; arrays begin at a multiple of it, and parts are multiples of it
constexpr std::size_t most_summed = 1ULL << 30;  // numbers, so that every sum of them is exact

// Whether this processor can store past its caches, as far as the compiler knows.
bool stores_past_caches();

// Works on so many numbers, a multiple of eight. Returns the sum of a read; 0 of all others.
double run_host_kernel(StreamKernel kernel, bool past_caches, std::span<double> a, const double* b, const double* c);

// Writes what the kernels read: the numbers of `b`, or of `c`, from this one on.
void write_host_numbers(std::span<double> to, std::size_t place, bool of_c);

// Returns the first of these numbers of `a`, from this one on, that is wrong; nullopt if none is.
std::optional<std::size_t> first_wrong(StreamKernel kernel, std::span<const double> a, std::size_t place);
double host_sum(std::size_t place, std::size_t count);  // of the numbers of `b`

}  // namespace tocuda
