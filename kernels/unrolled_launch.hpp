// tocuda, Apache-2.0.
// Launches the unrolled copies with one block size. Each block size is compiled in its own file to keep compile times
// short.
#pragma once

#include <utility>

#include "kernels/launches.hpp"
#include "measurement/launch.hpp"

namespace tocuda {

template <std::size_t index>
void launch_unrolled_shape(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes) {
    constexpr auto shape = unrolled_shapes[index];
    using Kernel = UnrolledCopy<shape.in_flight, shape.hint, shape.threads>;
    launch(stream, Kernel::grid(bytes), Kernel{}, to, from, bytes);
}

// Returns false if there is no such shape with this block size.
template <unsigned threads>
bool launched_unrolled(const Stream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                       UnrolledShape shape) {
    const auto launched_as = [&]<std::size_t index>() {
        if constexpr (unrolled_shapes[index].threads != threads) return false;
        else {
            if (unrolled_shapes[index] != shape) return false;
            launch_unrolled_shape<index>(stream, to, from, bytes);
            return true;
        }
    };
    return [&]<std::size_t... index>(std::index_sequence<index...>) {
        return (launched_as.template operator()<index>() || ...);
    }(std::make_index_sequence<unrolled_shapes.size()>());
}

extern template bool launched_unrolled<128>(const Stream&, std::byte*, const std::byte*, std::size_t, UnrolledShape);
extern template bool launched_unrolled<256>(const Stream&, std::byte*, const std::byte*, std::size_t, UnrolledShape);
extern template bool launched_unrolled<512>(const Stream&, std::byte*, const std::byte*, std::size_t, UnrolledShape);

}  // namespace tocuda
