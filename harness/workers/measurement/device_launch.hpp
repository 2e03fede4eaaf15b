// tocuda, Apache-2.0.
// Launches a kernel on the GPU, and what a kernel sees of its block there. Only nvcc compiles this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include "measurement/block.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {

// The block on a GPU, and the wrapper that launches every kernel there. Only nvcc compiles this file.
struct DeviceBlock {
    unsigned thread = threadIdx.x;
    unsigned threads = blockDim.x;
    unsigned block = blockIdx.x;
    unsigned blocks = gridDim.x;
    std::size_t shared_used = 0;

    __device__ void barrier() const { __syncthreads(); }

    // The lowest value wins, whichever thread passes it.
    __device__ void keep_lowest(unsigned long long* into, unsigned long long value) const { atomicMin(into, value); }

    __device__ void add(unsigned long long* to, unsigned long long value) const { atomicAdd(to, value); }

    // Types that CUDA does not know bring their own.
    template <class Number>
    __device__ Number fetch_add(Number* to, Number value) const {
        if constexpr (requires { value.added_to(to); }) return value.added_to(to);
        else return atomicAdd(to, value);
    }
    template <class Number>
    __device__ Number fetch_max(Number* to, Number value) const {
        return atomicMax(to, value);
    }
    template <class Number>
    __device__ Number compare_and_swap(Number* to, Number expected, Number desired) const {
        return atomicCAS(to, expected, desired);
    }

    // Written as such (RED), because the compiler keeps an answer that nobody uses (ATOM).
    __device__ void reduce_add(unsigned* to, unsigned value) const {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
    }
    __device__ void reduce_add(unsigned long long* to, unsigned long long value) const {
        asm volatile("red.global.add.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
    }
    __device__ void reduce_add(float* to, float value) const {
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to), "f"(value) : "memory");
    }
    template <class Number>
    __device__ void reduce_add(Number* to, Number value) const {
        value.reduced_to(to);
    }
    __device__ void reduce_max(unsigned* to, unsigned value) const {
        asm volatile("red.global.max.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
    }
    __device__ void reduce_max(unsigned long long* to, unsigned long long value) const {
        asm volatile("red.global.max.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
    }

    // Flags between the GPU and the host, in memory that both reach.
    __device__ unsigned seen(const unsigned* flag) const { return *const_cast<const volatile unsigned*>(flag); }
    __device__ void show(unsigned* flag, unsigned value) const {
        *const_cast<volatile unsigned*>(flag) = value;
        __threadfence_system();
    }
    // Without a fence: nothing else is sent with it.
    __device__ void signal(unsigned* flag, unsigned value) const { *const_cast<volatile unsigned*>(flag) = value; }
    __device__ void pause() const { __nanosleep(200); }
    __device__ unsigned long long nanoseconds() const {
        unsigned long long now = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        return now;
    }
    __device__ long long cycles() const { return clock64(); }
    // Loads an address, which L1 may hold, in the order of the program with the clocks.
    template <class To>
    __device__ To* followed(To* const* at) const {
        To* to = nullptr;
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(to) : "l"(at) : "memory");
        return to;
    }

    // The same past L1, so that L2 answers.
    template <class To>
    __device__ To* followed_past_l1(To* const* at) const {
        To* to = nullptr;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(to) : "l"(at) : "memory");
        return to;
    }
    __device__ unsigned multiprocessor(unsigned) const {
        unsigned number = 0;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
        return number;
    }

    __device__ void* shared_array(std::size_t bytes, std::size_t alignment) {
        extern __shared__ __align__(128) unsigned char shared_memory[];
        const auto start = aligned_up(shared_used, alignment);
        shared_used = start + bytes;
        return shared_memory + start;
    }
};

template <class Kernel, class... Arguments>
__global__ void on_device(Kernel kernel, Arguments... arguments) {
    DeviceBlock block;
    kernel(block, arguments...);
}

inline constexpr bool launches_on_gpu = true;

// Returns the address by which the runtime knows the kernel.
template <class Kernel, class... Arguments>
const void* function_of() {
    return reinterpret_cast<const void*>(on_device<Kernel, Arguments...>);
}

template <class Kernel, class... Arguments>
void allow_shared(std::size_t bytes) {
    if (bytes <= shared_bytes_unasked) return;
    require("cudaFuncSetAttribute",
            cudaFuncSetAttribute(on_device<Kernel, Arguments...>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)));
}

// Returns how many such blocks a multiprocessor of the current GPU runs at once.
template <class Kernel, class... Arguments>
unsigned blocks_at_once(unsigned threads, std::size_t shared_bytes) {
    allow_shared<Kernel, Arguments...>(shared_bytes);
    int blocks = 0;
    require("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, on_device<Kernel, Arguments...>,
                                                          static_cast<int>(threads), shared_bytes));
    return static_cast<unsigned>(blocks);
}

template <class Kernel, class... Arguments>
void launch(const Stream& stream, const Grid& grid, Kernel kernel, Arguments... arguments) {
    static_assert(std::is_same_v<decltype(Kernel::has_barrier), const bool>, "every kernel says so, for the CPU");
    [[maybe_unused]] constexpr bool reaches = requires { Kernel::touched(arguments...); };  // used by the CPU, too
    allow_shared<Kernel, Arguments...>(grid.shared_bytes);
    on_device<<<grid.blocks, grid.threads, grid.shared_bytes, stream.get()>>>(kernel, arguments...);
    require("launch", cudaGetLastError());
}

}  // namespace tocuda
