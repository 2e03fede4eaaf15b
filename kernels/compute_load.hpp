// tocuda, Apache-2.0.
// A kernel that only computes, on every multiprocessor, for as long as something else runs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "measurement/cuda_objects.hpp"

namespace tocuda {

// In host memory that the GPU can access. Each block has its own entries, so that no atomic operation crosses the link.
struct ComputeReports {
    static constexpr unsigned most_blocks = 1024;

    std::uint32_t blocks = 0;
    std::uint32_t stop = 0;                           // set by the host
    std::array<std::uint32_t, most_blocks> rounds{};  // that each block has computed: 1 once it runs, all at its end
    std::array<std::uint32_t, most_blocks> ended{};
};

// For the GPU that was current when this was made.
class ComputeLoad {
public:
    ComputeLoad();

    // Launches the kernel, calls `timed` once each of its blocks computes, and ends it. Returns whether each block
    // computed until `timed` had returned. Nothing that waits for the whole GPU may be called in `timed`.
    bool outlasts(const std::function<void()>& timed);

private:
    void wait_until_it_computes() const;
    bool any_ended() const;
    bool all_computed() const;

    unsigned blocks;
    Stream stream{};
    MappedMemory<ComputeReports> reports{};
    DeviceMemory stop_here;  // the number of the launch that is to stop
    std::uint32_t launches = 0;
};

}  // namespace tocuda
