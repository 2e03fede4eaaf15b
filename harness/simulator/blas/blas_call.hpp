// tocuda, Apache-2.0.
// Reports a call of the simulated cuBLAS to the simulated runtime: one that should compute counts as a kernel that was
// launched and not executed.
#pragma once

namespace tocuda::simulator {

inline constexpr int blas_success = 0;
inline constexpr int blas_invalid_value = 7;
inline constexpr int blas_not_supported = 15;

int blas_called(const char* name);

}  // namespace tocuda::simulator
