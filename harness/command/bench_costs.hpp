// tocuda, Apache-2.0.
// How long a process that measures takes: by what is known of GPUs beforehand, then by what the processes before it
// took. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command/sweep.hpp"

namespace tocuda {

// Before any process has run on this machine.
double known_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, const Protocol& protocol);

class BenchCosts {
public:
    explicit BenchCosts(Protocol by) : protocol(std::move(by)) {}

    double seconds(std::size_t unit, const Sweep& sweep, const std::vector<Parameters>& sets) const;
    void took(std::size_t unit, const Sweep& sweep, const std::vector<Parameters>& sets, double seconds);

private:
    // What was taken, and what had been known of it beforehand.
    struct Taken {
        double seconds = 0;
        double known = 0;
    };

    Protocol protocol;
    std::map<std::size_t, Taken> last_of_unit;
    std::map<std::string, Taken> by_worker;  // of all units that it measures
};

}  // namespace tocuda
