// tocuda, Apache-2.0.
// Runs a chase of pointers on the GPU that was current when this was made, times it and checks where it went. That GPU
// must be current for every call.
#pragma once

#include <string>

#include "kernels/chase.hpp"
#include "measurement/device_memory.hpp"
#include "runtime_calls/host_work.hpp"

namespace tocuda {

class TimedChase {
public:
    const Stream& queue() const { return stream; }
    void launch(const Stream& on, const Chase& chase) const { launch_chase(on, chase, result.device()); }

    // The kernel reads the GPU's clocks itself. Those of a simulated GPU stand still meanwhile: there, it is the time
    // between two events, less that of the same kernel without the loads.
    double seconds_of(Chase chase) const {
        if (!gpus_are_simulated()) return 1e-9 * static_cast<double>(chased(chase).nanoseconds);
        const auto whole = seconds_between_events(chase);
        chase.loads = 0;
        return whole - seconds_between_events(chase);
    }

    std::string what_differs(const Chase& chase, const Chased& expected) const {
        const auto found = chased(chase);
        if (found.end != expected.end) return "the chase ends at another line than its links say";
        if (found.sum != expected.sum) return "the chase went through other lines than its links say";
        const bool advanced = found.cycles > 0 && found.nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance during the chase";
    }

private:
    Chased chased(const Chase& chase) const {
        *result.host() = {};
        launch(stream, chase);
        stream.synchronize();
        return *result.host();
    }

    double seconds_between_events(const Chase& chase) const {
        before.record(stream);
        launch(stream, chase);
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    Stream stream{};
    Event before{};
    Event after{};
    MappedMemory<Chased> result{};
};

}  // namespace tocuda
