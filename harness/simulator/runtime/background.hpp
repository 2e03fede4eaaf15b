// tocuda, Apache-2.0.
// The thread that runs host functions and completes what nobody waits for, as real time passes.
#pragma once

namespace tocuda::simulator {

class Simulation;

class Background {
public:
    static Background& here();

    // Call when a queue is not empty, with the simulation's lock held. The first call starts the thread.
    void watch();

private:
    void run(Simulation& simulation);
    bool run_a_host_function(Simulation& simulation);

    bool started_ = false;
    bool asleep_ = false;
};

}  // namespace tocuda::simulator
