// tocuda, Apache-2.0.
// LibTorch's kernels for symmetric memory (torch.distributed._symmetric_memory), known by their names: the ranks of a
// group, each a process, set flags in each other's pads, wait for theirs, and add what all of them have.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tocuda::simulator {

class Arguments;
class Device;
class Simulation;

struct SymmetricKernel {
    enum class What { barrier, put_signal, wait_signal, one_shot, two_shot, two_shot_in_place };

    What what{};
    std::vector<std::size_t> argument_bytes{};
    bool in_bfloat16 = false;  // otherwise in float
    std::size_t alignment = 0;
    bool scatters = false;           // each rank keeps its part of the sum
    bool by_last_dimension = false;  // a part of each row
};

std::optional<SymmetricKernel> symmetric_kernel(std::string_view name);

// One launch.
struct SymmetricLaunch {
    // Does what it can by now; false while it has to wait for other ranks. Under the simulation's lock.
    std::function<bool()> proceed;
    double link_seconds = 0;
};
SymmetricLaunch launch_of(Simulation& simulation, const Device& device, const SymmetricKernel& kernel,
                          const std::shared_ptr<const Arguments>& arguments);

}  // namespace tocuda::simulator
