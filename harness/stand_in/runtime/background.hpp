// tocuda, Apache-2.0.
// The thread that runs host functions, and that lets real time pass: what the host does not wait for happens all the
// same.
#pragma once

namespace tocuda::stand_in {

class Simulation;

class Background {
public:
    static Background& here();

    // Something stands in a queue. Called with the simulation's lock held; the thread starts with the first.
    void watch();

private:
    void run(Simulation& simulation);
    bool run_a_host_function(Simulation& simulation);

    bool started_ = false;
    bool asleep_ = false;
};

}  // namespace tocuda::stand_in
