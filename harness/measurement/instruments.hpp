// tocuda, Apache-2.0.
// What the driver of measurements asks of the machine. The worker has a GPU behind it; a test has whatever it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measurement/trial.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// What queued operations took by the GPU's own clock, all together.
struct Batch {
    double seconds = 0;
    std::vector<std::string> flags{};
    double beside = 0;  // operations of what went on beside that passed in these seconds
    // Nothing was timed: the GPU does not take so many operations at a time, and `queue_depth` is less from now on.
    bool too_deep = false;
};

constexpr std::int64_t queued_most = 512;  // that a GPU takes without making the caller wait, as far as is known

class Instruments {
public:
    virtual ~Instruments() = default;

    virtual std::string gpu() = 0;  // its UUID
    virtual double now() = 0;       // the host's clock, in seconds
    // Before a parameter set: the clocks of the GPU are up. Says what could not be had, as flags.
    virtual std::vector<std::string> settle() = 0;
    // Every operation of the trial once, before a batch of it is timed.
    virtual void rehearse(const Trial& trial) = 0;
    virtual Batch batch(const Trial& trial, std::int64_t count) = 0;
    // How many operations of the runtime may be queued at a time: `queued_most`, until that was too many.
    virtual std::int64_t queue_depth() = 0;
    // From now on nothing is held back until all of it is queued.
    virtual void without_gate() = 0;
    virtual Telemetry telemetry() = 0;
    // While so many operations of this trial keep the GPU busy; nothing where they ended before everything was read.
    virtual std::optional<Telemetry> telemetry_during(const Trial& trial, std::int64_t count) = 0;
    // Where GPUs are simulated: whether operations move their bytes, or only take their time.
    virtual void move_bytes(bool on) = 0;
    // After something failed: true where nothing more can be asked of the GPU in this process.
    virtual bool lost() = 0;
    // Then the process ends with `context_lost`, at once: what would be given back went with the context, and may not
    // return. (A test goes on.)
    virtual void leave() = 0;
};

}  // namespace tocuda
