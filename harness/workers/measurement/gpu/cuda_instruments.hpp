// tocuda, Apache-2.0.
// The instruments of a worker with a GPU: the current device of the CUDA runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measurement/instruments.hpp"
#include "measurement/trial.hpp"

namespace tocuda {

// "13.0": of the runtime with which the worker is built.
std::string cuda_version();

// What only a worker with kernels can do: time a batch of queued operations with the GPU's own clock, and measure its
// SM clock.
class DeviceClock {
public:
    virtual ~DeviceClock() = default;

    // Runs every operation of the trial once, without the gate, so that whatever is loaded or allocated at first use is
    // ready.
    virtual void rehearse(const Queued& queued) = 0;
    virtual Batch batch(const Queued& queued, std::int64_t count) = 0;
    // The seconds of such a batch on each GPU of the trial, the first GPU first; empty if the queue does not hold it.
    virtual std::vector<double> each_gpu(const Queued& queued, std::int64_t count) = 0;
    virtual std::int64_t queue_depth() const = 0;
    virtual void without_gate() = 0;
    // Calls `look` once while such a batch keeps the GPU busy. False if the batch ended before `look` did, or if there
    // is no gate.
    virtual bool while_busy(const Queued& queued, std::int64_t count, const std::function<void()>& look) = 0;

    // Keeps the whole GPU busy for about a millisecond and returns its SM clock meanwhile in MHz, if it can be
    // measured.
    virtual std::optional<double> busy_megahertz() = 0;
};

// How long a gate waits for the host before it opens by itself. On WSL it is less, because Windows resets a GPU that
// one kernel has kept for two seconds.
std::uint64_t gate_patience_ns(std::string_view kernel_release);

// Its gate is a kernel that holds the stream until the whole batch is queued.
std::unique_ptr<DeviceClock> gated_clock();

// Called once the process is bound to its NUMA node, because it allocates memory of host and device.
using TakeDeviceClock = std::function<std::unique_ptr<DeviceClock>()>;

// For the current device. Without a device clock, every benchmark must use the host's clock.
std::unique_ptr<Instruments> cuda_instruments(const TakeDeviceClock& take);

// Keeps a GPU busy with one operation for a minute or so, and tells how long it took in each second.

// Queues the operation back to back until it has run for `sustained.seconds` by the GPU's clock. After each second,
// and while the next one runs, calls `each_second` with the mean time of an operation in it. `seconds`: what one
// operation is expected to take. Returns whether the GPU never ran out of operations.
bool sustain(const Queued& sustained, double seconds, const std::function<void(double)>& each_second);

}  // namespace tocuda
