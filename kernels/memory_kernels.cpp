// tocuda, Apache-2.0.
// Launches read, write, scale, dot and the kernels that write expected results.
#include "kernels/expected.hpp"
#include "kernels/launches.hpp"
#include "kernels/memory_dot.hpp"
#include "kernels/memory_read.hpp"
#include "kernels/memory_scale.hpp"
#include "kernels/memory_write.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

using Read = ReadAll<8, Hint::no_allocate>;

template <class Element, class Expected>
void launch_expected(const Stream& stream, Element* to, std::size_t count, Expected expected) {
    using Kernel = WriteExpected<Element, Expected>;
    if (count != 0) launch(stream, Kernel::grid(count), Kernel{}, to, count, expected);
}

}  // namespace

unsigned read_blocks(std::size_t bytes, unsigned multiprocessors) { return Read::grid(bytes, multiprocessors).blocks; }
unsigned dot_blocks(std::size_t count, unsigned multiprocessors) { return Dot::grid(count, multiprocessors).blocks; }

void launch_read(const Stream& stream, std::uint32_t* sums, const std::byte* from, std::size_t bytes,
                 unsigned multiprocessors) {
    launch(stream, Read::grid(bytes, multiprocessors), Read{}, sums, from, bytes);
}

void launch_dot(const Stream& stream, double* sums, const double* a, const double* b, std::size_t count,
                unsigned multiprocessors) {
    launch(stream, Dot::grid(count, multiprocessors), Dot{}, sums, a, b, count);
}

void launch_write(const Stream& stream, std::byte* to, std::size_t bytes, Hint hint) {
    using Streaming = WriteAll<Hint::streaming_store>;
    if (hint == Hint::streaming_store) return launch(stream, Streaming::grid(bytes), Streaming{}, to, bytes);
    launch(stream, WriteAll<Hint::plain>::grid(bytes), WriteAll<Hint::plain>{}, to, bytes);
}

void launch_scale(const Stream& stream, double* b, const double* c, std::size_t count) {
    launch(stream, Scale::grid(count), Scale{}, b, c, count);
}

void launch_numbers(const Stream& stream, double* to, std::size_t count, std::size_t place, unsigned bits) {
    launch_expected(stream, to, count, ExpectedNumber{place, bits});
}

void launch_expected_triad(const Stream& stream, double* to, std::size_t count, std::size_t place_of_b,
                           std::size_t place_of_c, unsigned bits) {
    launch_expected(stream, to, count, ExpectedTriad{place_of_b, place_of_c, bits});
}

void launch_expected_scale(const Stream& stream, double* to, std::size_t count, std::size_t place_of_c, unsigned bits) {
    launch_expected(stream, to, count, ExpectedScale{place_of_c, bits});
}

void launch_expected_write(const Stream& stream, std::byte* to, std::size_t bytes) {
    launch_expected(stream, to, bytes, ExpectedWrite{});
}

}  // namespace tocuda
