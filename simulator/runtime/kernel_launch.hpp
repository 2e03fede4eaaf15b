// tocuda, Apache-2.0.
// Launches a kernel: checks it and queues it in its stream; computes it if the host has a build of it, otherwise only
// counts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/call_frame.hpp"
#include "runtime/kernel_registry.hpp"

namespace tocuda::simulator {

struct Launch {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    void** arguments = nullptr;
};

// A copy of a kernel's arguments as they were at the launch, kept until the stream runs the kernel.
class Arguments {
public:
    Arguments(const std::vector<std::size_t>& sizes, void** passed);

    void* const* pointers() const { return addresses.data(); }
    // Every word in them that could be an address.
    std::vector<std::uintptr_t> words() const;

private:
    std::vector<std::max_align_t> bytes;
    std::vector<void*> addresses;
};

// A launch that has been checked and can be repeated.
struct KernelWork {
    Kernel* kernel = nullptr;
    Launch shape{};  // its stream and arguments are not used
    // Null if the sizes of the arguments are not known, because the host cannot run the kernel.
    std::shared_ptr<const Arguments> arguments{};
    bool in_operator = false;  // of LibTorch, which sees to it that what the kernel does is computed
};

cudaError_t check_launch(Device& device, const void* function_or_kernel, const Launch& what, KernelWork& checked);
// Makes the operation that runs the kernel once on this device, and counts it as launched.
cudaError_t make_operation(const Call& call, Device& device, const KernelWork& work, Operation& operation);

cudaError_t launch(const Call& call, const void* function_or_kernel, const Launch& what);

}  // namespace tocuda::simulator
