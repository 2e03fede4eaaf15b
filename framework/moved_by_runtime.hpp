// tocuda, Apache-2.0.
// Times a copy by the runtime alone to a target on the GPU, and checks that the payload arrived.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "framework/tensors.hpp"
#include "framework/two_ways.hpp"
#include "measurement/device_memory.hpp"

namespace tocuda {

// `move` must return only when its copies have ended. Target and stream must outlive the returned value.
inline TimedWay moved_by_runtime(std::function<void()> move, const DeviceMemory& target, const Stream& stream,
                                 std::size_t bytes) {
    return {.call = move,
            .compared = "every byte, brought back by the runtime",
            .differs = [move, &target, &stream, bytes] {
                move();
                std::vector<std::byte> found(bytes);
                download(found, target.get(), stream);
                return unlike_payload(found.data(), bytes);
            }};
}

}  // namespace tocuda
