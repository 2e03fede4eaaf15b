// tocuda, Apache-2.0.
// Launches a kernel on a simulated GPU. The simulated runtime learns once how the CPU computes the kernel; from then on
// it is launched like any other: queued on its stream, charged to its clock, counted, and subject to injected faults.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <typeinfo>
#include <utility>
#include <vector>

#include "measurement/block.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/host_execution.hpp"
#include "measurement/peaks.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda {

inline constexpr bool launches_on_gpu = false;

// How the CPU runs a launch. Tests change it on the way; the simulated runtime does not.
struct HostRun : Grid {
    static constexpr unsigned all = ~0U;
    ThreadOrder order = ThreadOrder::ascending;
    unsigned only = all;  // the number of the one block to run
};

inline void tell_simulation(const tocuda_host_kernel& kernel, const tocuda_host_kernel_more& more) {
    const auto tell = reinterpret_cast<decltype(&tocuda_simulation_host_kernel_with)>(
        dlsym(RTLD_DEFAULT, "tocuda_simulation_host_kernel_with"));
    if (!tell || tell(&kernel, &more) != 0)
        throw CudaError("launch: this program runs its kernels on the CPU and needs the simulated CUDA runtime",
                        cudaErrorNotSupported);
}

// The peak bandwidth of each GPU's memory; 0 if the runtime does not know it. Queried once, because the calls take
// virtual time too.
inline const std::vector<double>& peaks_bytes_per_second() {
    static const auto peaks = [] {
        int devices = 0;
        require("cudaGetDeviceCount", cudaGetDeviceCount(&devices));
        std::vector<double> each;
        for (int device = 0; device < devices; ++device) {
            const auto attribute = [device](cudaDeviceAttr which) {
                int value = 0;
                require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&value, which, device));
                return value;
            };
            each.push_back(memory_bytes_per_second(
                attribute(cudaDevAttrMemoryClockRate), attribute(cudaDevAttrGlobalMemoryBusWidth),
                10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor)));
        }
        return each;
    }();
    return peaks;
}

// What a kernel reports that it touches: once, or for each of several copies.
inline std::array<Touched, 1> each_of(const Touched& one) { return {one}; }
template <std::size_t count>
const std::array<Touched, count>& each_of(const std::array<Touched, count>& all) {
    return all;
}

// The simulated runtime's entry for one kernel. Its arguments there are a HostRun, the kernel object, and the kernel's
// own arguments.
template <class Kernel, class... Arguments>
struct HostKernel {
    // Its address identifies the kernel, like the address of the wrapper that nvcc compiles.
    static constexpr char stands_for_it = 0;

    // True for a kernel that polls a flag and only takes the time until it is set. The runtime calls `ready` instead of
    // running the kernel.
    static constexpr bool polls = requires(Arguments... arguments) { Kernel::ready(arguments...); };
    // True for a kernel that reports how long it takes.
    static constexpr bool timed = requires(Arguments... arguments) { Kernel::simulated_seconds(arguments...); };

    // True for a kernel that reports what it touches, because that may be host memory.
    static constexpr bool reaches = requires(Arguments... arguments) { Kernel::touched(arguments...); };

    static int ready(void* const* arguments, const tocuda_launch*) noexcept {
        if constexpr (polls)
            return [=]<std::size_t... index>(std::index_sequence<index...>) {
                return Kernel::ready(*static_cast<const Arguments*>(arguments[index + 2])...) ? 1 : 0;
            }(std::index_sequence_for<Arguments...>());
        return 1;
    }

    static void run(void* const* arguments, const tocuda_launch*) noexcept {
        if constexpr (polls || timed) return;
        else
            [=]<std::size_t... index>(std::index_sequence<index...>) {
                const auto& how = *static_cast<const HostRun*>(arguments[0]);
                const auto blocks = how.only == HostRun::all ? in_order(how.order, how.blocks) : std::vector{how.only};
                run_blocks_on_host(how, blocks, how.order, *static_cast<const Kernel*>(arguments[1]),
                                   *static_cast<const Arguments*>(arguments[index + 2])...);
            }(std::index_sequence_for<Arguments...>());
    }

    // The time follows from the bytes that the kernel touches; a negative value leaves it to the profile.
    static double seconds(void* const* arguments, const tocuda_launch* launch) noexcept {
        if constexpr (timed)
            return [=]<std::size_t... index>(std::index_sequence<index...>) {
                return Kernel::simulated_seconds(*static_cast<const Arguments*>(arguments[index + 2])...);
            }(std::index_sequence_for<Arguments...>());
        const auto peak = peaks_bytes_per_second()[static_cast<std::size_t>(launch->device)];
        return peak > 0 ? static_cast<double>(static_cast<const HostRun*>(arguments[0])->bytes_touched) / peak : -1;
    }

    static std::size_t touches(void* const* arguments, const tocuda_launch*, tocuda_touch* touches,
                               std::size_t room) noexcept {
        if constexpr (reaches) {
            const auto all = [=]<std::size_t... index>(std::index_sequence<index...>) {
                return Kernel::touched(*static_cast<const Arguments*>(arguments[index + 2])...);
            }(std::index_sequence_for<Arguments...>());
            std::size_t count = 0;
            for (const Touched& each : each_of(all)) {
                if (count + 2 > room) break;
                if (!chases && !repeats) touches[count++] = {each.written, each.bytes_written, 1};
                touches[count++] = {each.read, each.bytes_read, 0};
            }
            return count;
        }
        return 0;
    }

    // True for a kernel whose loads wait for each other, within what it reports that it reads.
    static constexpr bool chases = requires(Arguments... arguments) { Kernel::dependent_loads(arguments...); };

    static std::size_t dependent_loads(void* const* arguments, const tocuda_launch*) noexcept {
        if constexpr (chases)
            return [=]<std::size_t... index>(std::index_sequence<index...>) {
                return Kernel::dependent_loads(*static_cast<const Arguments*>(arguments[index + 2])...);
            }(std::index_sequence_for<Arguments...>());
        return 0;
    }

    // True for a kernel that goes through the same bytes again and again.
    static constexpr bool repeats = requires(Arguments... arguments) { Kernel::working_set(arguments...); };

    static std::size_t working_set(void* const* arguments, const tocuda_launch*) noexcept {
        if constexpr (repeats)
            return [=]<std::size_t... index>(std::index_sequence<index...>) {
                return Kernel::working_set(*static_cast<const Arguments*>(arguments[index + 2])...);
            }(std::index_sequence_for<Arguments...>());
        return 0;
    }

    static const void* function() {
        static constexpr std::array<std::size_t, sizeof...(Arguments) + 2> bytes{sizeof(HostRun), sizeof(Kernel),
                                                                                 sizeof(Arguments)...};
        static const bool told = [] {
            peaks_bytes_per_second();  // cached here, because `seconds` may not call the runtime
            tell_simulation({.version = 1,
                             .function = &stands_for_it,
                             .name = typeid(HostKernel).name(),
                             .arguments = bytes.size(),
                             .argument_bytes = bytes.data(),
                             .run = run,
                             .ready = polls ? ready : nullptr,
                             .seconds = seconds},
                            {.version = 1,
                             .patience_seconds = 0,
                             .touches = reaches ? touches : nullptr,
                             .dependent_loads = chases ? dependent_loads : nullptr,
                             .working_set = repeats ? working_set : nullptr});
            return true;
        }();
        static_cast<void>(told);
        return &stands_for_it;
    }
};

template <class Kernel, class... Arguments>
const void* function_of() {
    return HostKernel<Kernel, Arguments...>::function();
}

// A simulated GPU runs one block after another; as many as fit by threads and shared memory count as running at once.
template <class Kernel, class... Arguments>
unsigned blocks_at_once(unsigned threads, std::size_t shared_bytes) {
    constexpr std::size_t shared_of_all = std::size_t{228} << 10;
    constexpr std::size_t shared_of_any = std::size_t{1} << 10;
    return static_cast<unsigned>(
        std::min({std::size_t{2048 / threads}, std::size_t{32}, shared_of_all / (shared_bytes + shared_of_any)}));
}

template <class Kernel, class... Arguments>
void launch(const Stream& stream, const Grid& grid, Kernel kernel, Arguments... arguments) {
    HostRun run{grid};
    void* given[] = {&run, &kernel, &arguments...};
    const auto* function = HostKernel<Kernel, Arguments...>::function();
    if (grid.shared_bytes > shared_bytes_unasked)
        require("cudaFuncSetAttribute", cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                             static_cast<int>(grid.shared_bytes)));
    require("launch", cudaLaunchKernel(function, dim3{grid.blocks, 1, 1}, dim3{grid.threads, 1, 1}, given,
                                       grid.shared_bytes, stream.get()));
}

}  // namespace tocuda
