// tocuda, Apache-2.0.
// For tests: queries a simulated GPU's free memory and virtual time.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

#include "simulator/schema/simulation.h"

namespace tocuda::simulator {

inline constexpr std::size_t MiB = std::size_t{1} << 20;

inline std::size_t free_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
}

inline double virtual_seconds() {
    tocuda_simulation_state_t state{};
    state.version = 1;
    EXPECT_EQ(tocuda_simulation_state(&state), 0);
    return state.seconds;
}

// Microseconds of virtual time until everything that `action` started has ended.
inline double microseconds(const std::function<cudaError_t()>& action) {
    const double before = virtual_seconds();
    EXPECT_EQ(action(), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return 1e6 * (virtual_seconds() - before);
}

}  // namespace tocuda::simulator
