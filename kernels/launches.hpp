// tocuda, Apache-2.0.
// Functions that queue one kernel launch in a stream. The kernel bodies are compiled for the GPU, and for the CPU in
// the worker with simulated GPUs; callers need not know which.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/bulk_copy.hpp"
#include "kernels/bulk_triad.hpp"
#include "kernels/memory_access.hpp"
#include "kernels/persistent_copy.hpp"
#include "kernels/transposed_copy.hpp"
#include "kernels/unrolled_copy.hpp"

namespace tocuda {

class Stream;

// The number of blocks of a launch, unless there are fewer tiles.
struct Spread {
    unsigned multiprocessors = 1;
    unsigned blocks_each = 1;
};

void launch_scalar_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                        unsigned element_bytes);
void launch_vector_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes);
void launch_unrolled_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                          UnrolledShape shape);
void launch_vector32_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes);
void launch_persistent_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                            PersistentShape shape, Spread spread);
void launch_cp_async_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, Spread spread);
void launch_bulk_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, BulkCopy shape,
                      Spread spread);

// Return how many blocks of the kernel one multiprocessor of the current GPU runs at once.
unsigned persistent_copies_at_once(PersistentShape shape);
unsigned cp_async_copies_at_once();
unsigned bulk_copies_at_once(BulkCopy shape);
unsigned bulk_triads_at_once(BulkTriad shape);

void launch_misaligned_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes);
void launch_strided_copy(const Stream& stream, std::uint32_t* to, const std::uint32_t* from, std::size_t count,
                         std::size_t stride);
void launch_transposed_copy(const Stream& stream, std::uint32_t* to, const std::uint32_t* from, Shape shape);

// The number of blocks of read and dot, each of which stores one value.
unsigned read_blocks(std::size_t bytes, unsigned multiprocessors);
unsigned dot_blocks(std::size_t count, unsigned multiprocessors);
void launch_read(const Stream& stream, std::uint32_t* sums, const std::byte* from, std::size_t bytes,
                 unsigned multiprocessors);
void launch_dot(const Stream& stream, double* sums, const double* a, const double* b, std::size_t count,
                unsigned multiprocessors);
void launch_write(const Stream& stream, std::byte* to, std::size_t bytes, Hint hint);
void launch_scale(const Stream& stream, double* b, const double* c, std::size_t count);
void launch_triad(const Stream& stream, double* a, const double* b, const double* c, std::size_t count,
                  TriadShape shape);
void launch_bulk_triad(const Stream& stream, double* a, const double* b, const double* c, std::size_t count,
                       BulkTriad shape, Spread spread);

// Write the input numbers and the expected results with deliberately simple kernels.
void launch_numbers(const Stream& stream, double* to, std::size_t count, std::size_t place, unsigned bits);
void launch_expected_triad(const Stream& stream, double* to, std::size_t count, std::size_t place_of_b,
                           std::size_t place_of_c, unsigned bits);
void launch_expected_scale(const Stream& stream, double* to, std::size_t count, std::size_t place_of_c, unsigned bits);
void launch_expected_write(const Stream& stream, std::byte* to, std::size_t bytes);
void launch_expected_strided(const Stream& stream, std::uint32_t* to, std::size_t count, std::size_t stride);
void launch_expected_transposed(const Stream& stream, std::uint32_t* to, Shape shape);

}  // namespace tocuda
