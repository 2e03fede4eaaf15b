// tocuda, Apache-2.0.
// What `measure_sets` needs from the machine. Workers implement it with a GPU, tests with fakes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measurement/trial.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// The total time of queued operations by the GPU's own clock.
struct Batch {
    double seconds = 0;
    Flags flags{};
    double beside = 0;  // operations in the other direction that ran in these seconds
    // Nothing was timed, because the GPU does not queue that many operations; `queue_depth` is lower from now on.
    bool too_deep = false;
};

constexpr std::int64_t queued_most = 512;  // operations that a GPU is known to queue without blocking the caller

class Instruments {
public:
    virtual ~Instruments() = default;

    virtual std::string gpu() = 0;  // its UUID
    virtual double now() = 0;       // the host's clock, in seconds
    // Warms the GPU up before a parameter set until its clock is steady. Returns what could not be achieved, as flags.
    virtual Flags settle() = 0;
    // Runs every operation of the trial once, before a batch of it is timed.
    virtual void rehearse(const Trial& trial) = 0;
    virtual Batch batch(const Trial& trial, std::int64_t count) = 0;
    // Times a batch on each GPU that takes part, the first GPU first. Empty if it did not work, as where the queue does
    // not hold it.
    virtual std::vector<double> each_gpu(const Trial&, std::int64_t) { return {}; }
    // The number of runtime operations that may be queued at a time: `queued_most`, or less after that was too many.
    virtual std::int64_t queue_depth() = 0;
    // Turns the gate off: operations start at once instead of when all are queued.
    virtual void without_gate() = 0;
    virtual Telemetry telemetry() = 0;
    // How long the last reading of the telemetry took.
    virtual double reading_seconds() = 0;
    // Reads the telemetry while `count` operations of this trial keep the GPU busy; nullopt if they ended before it was
    // read.
    virtual std::optional<Telemetry> telemetry_during(const Trial& trial, std::int64_t count) = 0;
    // Runs a trial's operations back to back for as long as it asks, and adds a sample and the telemetry of each
    // second. `seconds`: of one operation.
    virtual void sustain(const Trial& trial, double seconds, Samples& samples) = 0;
    // On simulated GPUs, selects whether operations move their bytes or only take their time.
    virtual void move_bytes(bool on) = 0;
    // After a failure, returns whether the GPU is unusable for the rest of this process.
    virtual bool lost() = 0;
    // Ends the process at once with `context_lost`, because releasing resources of the lost context may hang. (Fakes
    // return.)
    virtual void leave() = 0;
};

// The instruments of benchmarks whose process uses no GPU: the host's real clock, even where GPUs are simulated, and
// nothing else.

// `gpu`: the UUID of the one that new processes of the benchmark use, if there is one.
std::unique_ptr<Instruments> host_instruments(std::string gpu = "");

}  // namespace tocuda
