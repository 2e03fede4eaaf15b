// tocuda, Apache-2.0.
// Estimates how long a measurement process takes: first from assumptions about GPUs, then from how long earlier
// processes took. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "request/sweep.hpp"

namespace tocuda {

// The estimate before any process has run on this machine, of one with this number of GPUs.
double known_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, const Protocol& protocol,
                     bool simulated = false, std::size_t gpus = 1);

class BenchCosts {
public:
    explicit BenchCosts(Protocol bench_protocol, bool on_simulated_gpus = false)
        : protocol(std::move(bench_protocol)), simulated(on_simulated_gpus) {}

    double seconds(std::size_t unit, const Sweep& sweep, const std::vector<Parameters>& sets,
                   std::size_t gpus = 1) const;
    void took(std::size_t unit, const Sweep& sweep, const std::vector<Parameters>& sets, double seconds,
              std::size_t gpus = 1);

private:
    // The seconds taken and the seconds estimated beforehand.
    struct Taken {
        double seconds = 0;
        double known = 0;
    };

    Protocol protocol;
    bool simulated;
    std::map<std::size_t, Taken> last_of_unit;
    std::map<std::string, Taken> by_worker;  // sums over all units of the worker
};

}  // namespace tocuda
