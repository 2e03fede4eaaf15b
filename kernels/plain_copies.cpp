// tocuda, Apache-2.0.
// Launches the copies that need no shared memory.
#include <stdexcept>
#include <string>

#include "kernels/launches.hpp"
#include "kernels/persistent_copy.hpp"
#include "kernels/scalar_copy.hpp"
#include "kernels/unrolled_copy.hpp"
#include "kernels/vector32_copy.hpp"
#include "kernels/vector_copy.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

template <class Kernel>
void launch_copy(const Stream& stream, Kernel kernel, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch(stream, Kernel::grid(bytes), kernel, to, from, bytes);
}

template <unsigned in_flight>
void launch_unrolled(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, Hint hint) {
    if (hint == Hint::plain) return launch_copy(stream, UnrolledCopy<in_flight, Hint::plain>{}, to, from, bytes);
    if (hint == Hint::no_allocate) return launch_copy(stream, UnrolledCopy<in_flight, Hint::no_allocate>{}, to, from, bytes);
    launch_copy(stream, UnrolledCopy<in_flight, Hint::streaming>{}, to, from, bytes);
}

template <Hint hint>
void launch_persistent(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, Spread spread) {
    launch(stream, PersistentCopy<hint>::grid(bytes, spread.multiprocessors, spread.blocks_each), PersistentCopy<hint>{}, to, from, bytes);
}

template <Hint hint>
unsigned persistent_at_once() {
    return blocks_at_once<PersistentCopy<hint>, std::byte*, const std::byte*, std::size_t>(PersistentCopy<hint>::threads, 0);
}

}  // namespace

void launch_scalar_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, unsigned element_bytes) {
    switch (element_bytes) {
    case 1: return launch_copy(stream, ScalarCopy<std::uint8_t>{}, to, from, bytes);
    case 4: return launch_copy(stream, ScalarCopy<std::uint32_t>{}, to, from, bytes);
    case 8: return launch_copy(stream, ScalarCopy<std::uint64_t>{}, to, from, bytes);
    default: throw std::invalid_argument("no scalar copy has elements of " + std::to_string(element_bytes) + " bytes");
    }
}

void launch_vector_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch_copy(stream, VectorCopy{}, to, from, bytes);
}

void launch_unrolled_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, unsigned in_flight, Hint hint) {
    switch (in_flight) {
    case 1: return launch_unrolled<1>(stream, to, from, bytes, hint);
    case 8: return launch_unrolled<8>(stream, to, from, bytes, hint);
    case 12: return launch_unrolled<12>(stream, to, from, bytes, hint);
    case 16: return launch_unrolled<16>(stream, to, from, bytes, hint);
    default: throw std::invalid_argument("no unrolled copy has " + std::to_string(in_flight) + " loads in flight");
    }
}

void launch_vector32_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch_copy(stream, Vector32Copy{}, to, from, bytes);
}

void launch_persistent_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, Hint hint, Spread spread) {
    if (hint == Hint::plain) return launch_persistent<Hint::plain>(stream, to, from, bytes, spread);
    if (hint == Hint::no_allocate) return launch_persistent<Hint::no_allocate>(stream, to, from, bytes, spread);
    launch_persistent<Hint::streaming>(stream, to, from, bytes, spread);
}

unsigned persistent_copies_at_once(Hint hint) {
    if (hint == Hint::plain) return persistent_at_once<Hint::plain>();
    return hint == Hint::no_allocate ? persistent_at_once<Hint::no_allocate>() : persistent_at_once<Hint::streaming>();
}

}  // namespace tocuda
