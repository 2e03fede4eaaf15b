// tocuda, Apache-2.0.
// Launches the copies that use no shared memory.
#include <stdexcept>
#include <string>

#include "kernels/launches.hpp"
#include "kernels/persistent_copy.hpp"
#include "kernels/scalar_copy.hpp"
#include "kernels/vector32_copy.hpp"
#include "kernels/vector_copy.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

template <class Kernel>
void launch_copy(const Stream& stream, Kernel kernel, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch(stream, Kernel::grid(bytes), kernel, to, from, bytes);
}

template <Hint hint>
void launch_persistent(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes, TileOrder order,
                       Spread spread) {
    const auto grid = PersistentCopy<hint>::grid(bytes, spread.multiprocessors, spread.blocks_each);
    launch(stream, grid, PersistentCopy<hint>{.order = order}, to, from, bytes);
}

template <Hint hint>
unsigned persistent_at_once() {
    return blocks_at_once<PersistentCopy<hint>, std::byte*, const std::byte*, std::size_t>(
        PersistentCopy<hint>::threads, 0);
}

}  // namespace

void launch_scalar_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                        unsigned element_bytes) {
    switch (element_bytes) {
        case 1:
            return launch_copy(stream, ScalarCopy<std::uint8_t>{}, to, from, bytes);
        case 4:
            return launch_copy(stream, ScalarCopy<std::uint32_t>{}, to, from, bytes);
        case 8:
            return launch_copy(stream, ScalarCopy<std::uint64_t>{}, to, from, bytes);
        default:
            throw std::invalid_argument("no scalar copy has elements of " + std::to_string(element_bytes) + " bytes");
    }
}

void launch_vector_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch_copy(stream, VectorCopy{}, to, from, bytes);
}

void launch_vector32_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
    launch_copy(stream, Vector32Copy{}, to, from, bytes);
}

void launch_persistent_copy(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                            PersistentShape shape, Spread spread) {
    switch (shape.hint) {
        case Hint::plain:
            return launch_persistent<Hint::plain>(stream, to, from, bytes, shape.order, spread);
        case Hint::streaming_store:
            return launch_persistent<Hint::streaming_store>(stream, to, from, bytes, shape.order, spread);
        case Hint::streaming:
            return launch_persistent<Hint::streaming>(stream, to, from, bytes, shape.order, spread);
        default:
            throw std::invalid_argument("no persistent copy has this hint");
    }
}

unsigned persistent_copies_at_once(PersistentShape shape) {
    switch (shape.hint) {
        case Hint::plain:
            return persistent_at_once<Hint::plain>();
        case Hint::streaming_store:
            return persistent_at_once<Hint::streaming_store>();
        case Hint::streaming:
            return persistent_at_once<Hint::streaming>();
        default:
            throw std::invalid_argument("no persistent copy has this hint");
    }
}

}  // namespace tocuda
