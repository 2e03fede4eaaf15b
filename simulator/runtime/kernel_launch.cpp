// tocuda, Apache-2.0.
#include "runtime/kernel_launch.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "runtime/capture.hpp"
#include "runtime/process_counts.hpp"
#include "runtime/reach.hpp"
#include "runtime/symmetric_kernels.hpp"

namespace tocuda::simulator {
namespace {

constexpr std::size_t most_touches = 16;
constexpr std::int64_t unattended_shared_bytes = 49152;  // default limit; more must be allowed by attribute

std::size_t aligned(std::size_t size) {
    return (size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t) * sizeof(std::max_align_t);
}

cudaError_t check(const SimulatedGpu& gpu, const Kernel& kernel, const Launch& what) {
    const auto threads = static_cast<std::int64_t>(what.block.x) * what.block.y * what.block.z;
    if (threads == 0 || what.grid.x == 0 || what.grid.y == 0 || what.grid.z == 0) return cudaErrorInvalidConfiguration;
    if (threads > gpu.threads_per_block || what.block.x > 1024 || what.block.y > 1024 || what.block.z > 64) {
        return cudaErrorInvalidConfiguration;
    }
    if (what.grid.x > 2147483647U || what.grid.y > 65535 || what.grid.z > 65535) return cudaErrorInvalidConfiguration;
    const std::int64_t allowed =
        kernel.dynamic_shared_limit < 0 ? unattended_shared_bytes : kernel.dynamic_shared_limit;
    return static_cast<std::int64_t>(what.shared_bytes) > allowed ? cudaErrorInvalidValue : cudaSuccess;
}

double seconds_asleep(const SimulatedGpu& gpu, const Arguments& arguments) {
    std::int64_t cycles = 0;
    std::memcpy(&cycles, arguments.pointers()[0], sizeof cycles);
    return static_cast<double>(cycles) / (1e3 * static_cast<double>(gpu.clock_khz));
}

// A kernel may write wherever its arguments point, so the host needs room up to the end of each allocation.
bool make_room(Simulation& simulation, const Arguments& arguments) {
    for (const std::uintptr_t word : arguments.words()) {
        const Allocation* found = simulation.memory.around(word);
        if (!found || !found->space) continue;
        if (!found->space->touch(word, found->bytes - (word - found->address))) return false;
    }
    return true;
}

// The memory of other GPUs that the arguments point to, each allocation from the first of its addresses on.
std::vector<PeerFaults::Range> reached_on_peers(Simulation& simulation, const Device& device,
                                                const Arguments& arguments) {
    if (!simulation.peer_faults.any()) return {};
    std::map<const Allocation*, std::uintptr_t> first;
    for (const std::uintptr_t word : arguments.words()) {
        const Allocation* found = simulation.memory.around(word);
        if (!found || !found->on_device() || found->device == device.number) continue;
        const auto [known, is_new] = first.emplace(found, word);
        if (!is_new) known->second = std::min(known->second, word);
    }
    std::vector<PeerFaults::Range> ranges;
    for (const auto& [allocation, word] : first)
        ranges.push_back({simulation.device(allocation->device).index_in_file, reinterpret_cast<std::byte*>(word),
                          allocation->bytes - (word - allocation->address)});
    return ranges;
}

double seconds_of(Simulation& simulation, Device& device, const HostKernel& build, const Arguments& arguments,
                  const tocuda_launch& shape) {
    const double seconds = build.seconds ? std::max(0.0, build.seconds(arguments.pointers(), &shape)) : 0;
    if (!build.touches) return seconds_with_arguments(simulation, device, arguments.words(), seconds);
    std::vector<tocuda_touch> touches(most_touches);
    touches.resize(
        std::min(touches.size(), build.touches(arguments.pointers(), &shape, touches.data(), touches.size())));
    if (build.dependent_loads && !touches.empty())
        return seconds_to_chase(simulation, device, touches.front(),
                                build.dependent_loads(arguments.pointers(), &shape));
    if (build.working_set && !touches.empty())
        return seconds_to_repeat(device, touches.front(), build.working_set(arguments.pointers(), &shape),
                                 shape.grid[0]);
    return std::max(seconds, seconds_to_touch(simulation, device, touches));
}

Operation computing(Simulation& simulation, Device& device, const HostKernel& build,
                    std::shared_ptr<const Arguments> arguments, const Launch& what) {
    const tocuda_launch shape{{what.grid.x, what.grid.y, what.grid.z},
                              {what.block.x, what.block.y, what.block.z},
                              what.shared_bytes,
                              device.number};
    Operation operation;
    const auto peers = [&faults = simulation.peer_faults, from = device.index_in_file,
                        reached = reached_on_peers(simulation, device, *arguments)](
                           bool ends, const std::function<void()>& effect) { faults.run(from, reached, ends, effect); };
    // Room again: a fill with zeros that was queued before may have given it back.
    operation.effect = [&simulation, run = build.run, arguments, shape, peers] {
        make_room(simulation, *arguments);
        peers(true, [&] { run(arguments->pointers(), &shape); });
    };
    if (build.ready) {
        operation.ready = [ready = build.ready, arguments, shape, peers] {
            bool is_ready = false;
            peers(false, [&] { is_ready = ready(arguments->pointers(), &shape) != 0; });
            return is_ready;
        };
        if (build.patience_seconds > 0) operation.patience = build.patience_seconds;
    }
    operation.cost = seconds_of(simulation, device, build, *arguments, shape);
    return operation;
}

}  // namespace

Arguments::Arguments(const std::vector<std::size_t>& sizes, void** passed) {
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += aligned(size);
    bytes.resize(total / sizeof(std::max_align_t) + 1);
    auto* at = reinterpret_cast<char*>(bytes.data());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::memcpy(at, passed[i], sizes[i]);
        addresses.push_back(at);
        at += aligned(sizes[i]);
    }
}

std::vector<std::uintptr_t> Arguments::words() const {
    std::vector<std::uintptr_t> words(bytes.size() * sizeof(std::max_align_t) / sizeof(std::uintptr_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uintptr_t));
    return words;
}

cudaError_t check_launch(Device& device, const void* function_or_kernel, const Launch& what, KernelWork& checked) {
    Kernel* kernel = KernelRegistry::here().kernel(function_or_kernel);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (const cudaError_t wrong = check(device.profile, *kernel, what); wrong != cudaSuccess) return wrong;
    const int major = static_cast<int>(device.profile.compute_major);
    const int minor = static_cast<int>(device.profile.compute_minor);
    if (KernelRegistry::here().code_for(*kernel, major, minor).written_for == 0) return cudaErrorNoKernelImageForDevice;
    checked = {.kernel = kernel, .shape = what};
    if (kernel->build) {
        checked.arguments = std::make_shared<Arguments>(kernel->build->argument_bytes, what.arguments);
    } else if (kernel->symmetric) {
        checked.arguments = std::make_shared<Arguments>(kernel->symmetric->argument_bytes, what.arguments);
    } else if (kernel->sleeps) {
        checked.arguments = std::make_shared<Arguments>(std::vector{sizeof(std::int64_t)}, what.arguments);
    }
    return cudaSuccess;
}

cudaError_t make_operation(const Call& call, Device& device, const KernelWork& work, Operation& operation) {
    const Kernel& kernel = *work.kernel;
    const double any_kernel = 1e-9 * static_cast<double>(device.profile.kernel_ns);
    if (kernel.build && work.arguments) {
        const bool computes = !call.simulation.clock_only;
        if (computes && !make_room(call.simulation, *work.arguments)) return cudaErrorMemoryAllocation;
        operation = computing(call.simulation, device, *kernel.build, work.arguments, work.shape);
        operation.cost = device.cost(any_kernel + operation.cost);
        if (!computes) operation.effect = nullptr;
    } else if (kernel.symmetric) {
        auto launched = launch_of(call.simulation, device, *kernel.symmetric, work.arguments);
        operation.ready = std::move(launched.proceed);
        operation.polls_last = true;
        operation.cost = device.cost(any_kernel + launched.link_seconds);
    } else if (work.arguments) {
        operation.cost = seconds_asleep(device.profile, *work.arguments);
    } else {
        operation.cost = device.cost(any_kernel);
        ++call.simulation.kernels_not_executed;
        ++call.thread.kernels_not_executed;
        if (!work.in_operator) count_kernel_not_computed(kernel.name);
    }
    ++call.simulation.kernels_launched;
    operation.is_work = true;
    operation.lanes = {device.of_kernels()};
    return cudaSuccess;
}

cudaError_t launch(const Call& call, const void* function_or_kernel, const Launch& what) {
    Device& device = call.device();
    KernelWork work;
    if (const cudaError_t wrong = check_launch(device, function_or_kernel, what, work); wrong != cudaSuccess)
        return wrong;
    Stream* stream = call.stream(what.stream);
    if (!stream || stream->kind.device != call.thread.device) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
    work.in_operator = call.thread.in_operator;
    if (stream->capture) {
        // The operator that is being captured has to compute what its kernels do not, at each launch of the graph.
        if (!work.arguments) ++call.thread.kernels_not_executed;
        return capture(*stream, std::move(work));
    }
    Operation operation;
    const cudaError_t wrong = make_operation(call, device, work, operation);
    if (wrong == cudaSuccess) call.enqueue(*stream, std::move(operation));
    return wrong;
}

}  // namespace tocuda::simulator
