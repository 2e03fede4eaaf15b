// tocuda, Apache-2.0.
// What the runtime alone has brought to a target on the GPU, and whether it is the payload.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "framework/tensors.hpp"
#include "framework/two_ways.hpp"
#include "measurement/device_memory.hpp"

namespace tocuda {

// `move` ends when everything that it caused has ended. Target and stream outlive the answer.
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
