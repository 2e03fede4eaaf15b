// tocuda, Apache-2.0.
// Operations of other libraries in streams (simulation.h).
#include <memory>

#include "runtime/capture.hpp"
#include "simulation.h"

namespace tocuda::simulator {
namespace {

void touch(const Simulation& simulation, const void* address, std::size_t bytes) {
    const Allocation* found = simulation.memory.around(address);
    if (found != nullptr && found->space != nullptr)
        found->space->touch(reinterpret_cast<std::uintptr_t>(address), bytes);
}

cudaError_t queue(const Call& call, const tocuda_operation& what) {
    if (!call.simulation.has_device(what.device)) return cudaErrorInvalidDevice;
    Stream* stream = call.simulation.stream(static_cast<cudaStream_t>(what.stream), what.device);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
    const std::shared_ptr<void> data(what.data, what.release);
    Operation operation;
    operation.effect = [&simulation = call.simulation, data, run = what.run, to = what.writes,
                        bytes = what.write_bytes] {
        if (to != nullptr) touch(simulation, to, bytes);
        run(data.get());
    };
    if (what.ready != nullptr) operation.ready = [data, ready = what.ready] { return ready(data.get()) != 0; };
    operation.polls_last = true;
    operation.is_work = true;
    call.enqueue(*stream, std::move(operation));
    return cudaSuccess;
}

}  // namespace

extern "C" int tocuda_simulation_operation(const tocuda_operation* what) {
    if (what == nullptr || what->version != 1 || what->run == nullptr || what->release == nullptr)
        return cudaErrorInvalidValue;
    return answer(__func__, [&](const Call& call) { return queue(call, *what); });
}

}  // namespace tocuda::simulator
