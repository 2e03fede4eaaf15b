// tocuda, Apache-2.0.
// Launches the copies through shared memory and the rearranging copies.
#include "kernels/cp_async_copy.hpp"
#include "kernels/expected.hpp"
#include "kernels/launches.hpp"
#include "kernels/misaligned_copy.hpp"
#include "kernels/strided_copy.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

template <class Expected>
void launch_expected(const Stream& stream, std::uint32_t* to, std::size_t count, Expected expected) {
    using Kernel = WriteExpected<std::uint32_t, Expected>;
    if (count != 0) launch(stream, Kernel::grid(count), Kernel{}, to, count, expected);
}

}  // namespace

void launch_cp_async_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                          Spread spread) {
    launch(stream, CpAsyncCopy::grid(bytes, spread.multiprocessors, spread.blocks_each), CpAsyncCopy{}, to, from,
           bytes);
}

unsigned cp_async_copies_at_once() {
    return blocks_at_once<CpAsyncCopy, std::byte*, const std::byte*, std::size_t>(CpAsyncCopy::threads,
                                                                                  CpAsyncCopy::shared_bytes);
}

void launch_bulk_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, BulkCopy shape,
                      Spread spread) {
    launch(stream, shape.grid(bytes, spread.multiprocessors, spread.blocks_each), shape, to, from, bytes);
}

unsigned bulk_copies_at_once(BulkCopy shape) {
    return blocks_at_once<BulkCopy, std::byte*, const std::byte*, std::size_t>(BulkCopy::threads, shape.shared_bytes());
}

void launch_misaligned_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch(stream, MisalignedCopy::grid(bytes), MisalignedCopy{}, to, from, bytes);
}

void launch_strided_copy(const Stream& stream, std::uint32_t* to, const std::uint32_t* from, std::size_t count,
                         std::size_t stride) {
    launch(stream, StridedCopy::grid(count), StridedCopy{}, to, from, count, stride);
}

void launch_transposed_copy(const Stream& stream, std::uint32_t* to, const std::uint32_t* from, Shape shape) {
    launch(stream, TransposedCopy::grid(shape), TransposedCopy{}, to, from, shape);
}

void launch_expected_strided(const Stream& stream, std::uint32_t* to, std::size_t count, std::size_t stride) {
    launch_expected(stream, to, count, ExpectedStrided{stride});
}

void launch_expected_transposed(const Stream& stream, std::uint32_t* to, Shape shape) {
    launch_expected(stream, to, shape.rows * shape.columns, ExpectedTransposed{shape});
}

}  // namespace tocuda
