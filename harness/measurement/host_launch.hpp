// tocuda, Apache-2.0.
// A launch on a simulated GPU. The simulated runtime is told once how the CPU computes this kernel; from then on a launch is a
// launch like any other there: queued on its stream, charged to its clock, counted, and failing where it is told to fail.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <typeinfo>
#include <utility>
#include <vector>

#include "measurement/cuda_error.hpp"
#include "measurement/grid.hpp"
#include "measurement/host_execution.hpp"
#include "measurement/stream.hpp"
#include "stand_in/simulation.h"

namespace tocuda {

inline void tell_simulation(const tocuda_host_kernel& kernel) {
    const auto tell = reinterpret_cast<decltype(&tocuda_simulation_host_kernel)>(dlsym(RTLD_DEFAULT, "tocuda_simulation_host_kernel"));
    if (!tell || tell(&kernel) != 0)
        throw CudaError("launch: this program runs its kernels on the CPU, and the runtime is no simulated one", cudaErrorNotSupported);
}

// What the memory of each GPU moves at most; 0 where the runtime does not know. Asked for once: a call takes time there too.
inline const std::vector<double>& peaks_bytes_per_second() {
    static const auto peaks = [] {
        int devices = 0;
        require("cudaGetDeviceCount", cudaGetDeviceCount(&devices));
        std::vector<double> each;
        for (int device = 0; device < devices; ++device) {
            int kilohertz = 0;
            int bits = 0;
            require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device));
            require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device));
            each.push_back(2e3 * kilohertz * bits / 8);  // both edges of the clock
        }
        return each;
    }();
    return peaks;
}

// What stands in the runtime's list for one kernel. Its arguments there: its grid, itself, and its own arguments.
template <class Kernel, class... Arguments>
struct HostKernel {
    // Its address stands for the kernel, as a wrapper's does where nvcc compiled one.
    static constexpr char stands_for_it = 0;

    static void run(void* const* arguments, const tocuda_launch*) noexcept {
        [=]<std::size_t... index>(std::index_sequence<index...>) {
            run_on_host(*static_cast<const Grid*>(arguments[0]), ThreadOrder::ascending,
                        *static_cast<const Kernel*>(arguments[1]), *static_cast<const Arguments*>(arguments[index + 2])...);
        }(std::index_sequence_for<Arguments...>());
    }

    // By the memory that it touches; a negative answer leaves the cost to the profile.
    static double seconds(void* const* arguments, const tocuda_launch* launch) noexcept {
        const auto peak = peaks_bytes_per_second()[static_cast<std::size_t>(launch->device)];
        return peak > 0 ? static_cast<double>(static_cast<const Grid*>(arguments[0])->bytes_touched) / peak : -1;
    }

    static const void* function() {
        static constexpr std::array<std::size_t, sizeof...(Arguments) + 2> bytes{sizeof(Grid), sizeof(Kernel), sizeof(Arguments)...};
        static const bool told = [] {
            peaks_bytes_per_second();  // `seconds` must find them: it may not call the runtime
            tell_simulation({.version = 1, .function = &stands_for_it,
                             .name = typeid(HostKernel).name(), .arguments = bytes.size(), .argument_bytes = bytes.data(),
                             .run = run, .ready = nullptr, .seconds = seconds});
            return true;
        }();
        static_cast<void>(told);
        return &stands_for_it;
    }
};

template <class Kernel, class... Arguments>
void launch(const Stream& stream, const Grid& grid, Kernel kernel, Arguments... arguments) {
    auto shape = grid;
    void* given[] = {&shape, &kernel, &arguments...};
    const auto* function = HostKernel<Kernel, Arguments...>::function();
    require("launch", cudaLaunchKernel(function, dim3{grid.blocks, 1, 1}, dim3{grid.threads, 1, 1}, given,
                                       grid.shared_bytes, stream.get()));
}

}  // namespace tocuda
