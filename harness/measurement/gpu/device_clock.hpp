// tocuda, Apache-2.0.
// What only a worker that nvcc compiled can do: the GPU's own clock around a batch of queued operations, and its SM
// clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "measurement/instruments.hpp"

namespace tocuda {

class DeviceClock {
public:
    virtual ~DeviceClock() = default;

    // Every operation of the trial once, with nothing in its way: what is loaded or taken at first use is there from
    // then on.
    virtual void rehearse(const Trial& trial) = 0;
    virtual Batch batch(const Trial& trial, std::int64_t count) = 0;
    virtual std::int64_t queue_depth() const = 0;
    virtual void without_gate() = 0;
    // Calls `look` once, while such a batch keeps the GPU busy. False where the batch ended before `look` did, or
    // nothing keeps it waiting.
    virtual bool while_busy(const Trial& trial, std::int64_t count, const std::function<void()>& look) = 0;

    // Keeps the whole GPU busy for about a millisecond; how fast its SMs ran meanwhile, in MHz, where that can be seen.
    virtual std::optional<double> busy_megahertz() = 0;
};

}  // namespace tocuda
