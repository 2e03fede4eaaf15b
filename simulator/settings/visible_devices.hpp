// tocuda, Apache-2.0.
// Which GPUs CUDA_VISIBLE_DEVICES leaves, by the published rules. The simulator evaluates it itself, so a test against
// it shows only how others react.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/schema/gpu.hpp"

namespace tocuda::simulator {

// Returns indices into `gpus`, in the order of the list, up to the first entry that names no GPU. Without a list: all.
std::vector<int> visible_devices(std::optional<std::string_view> list, const std::vector<SimulatedGpu>& gpus);

std::vector<int> visible_devices_of_environment(const std::vector<SimulatedGpu>& gpus);

}  // namespace tocuda::simulator
