// tocuda, Apache-2.0.
// The words of a worker that holds benchmarks and no scenarios: streams in, lines out.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "measurement/registered_benchmark.hpp"

namespace tocuda {

struct Conversation {
    std::istream& sets;                           // what comes on standard input
    std::function<void(const std::string&)> say;  // a line on descriptor 3
    std::ostream& complain;
};

// Returns the exit code: 0, or 2 where what was asked makes no sense.
int answer(const std::vector<std::string>& words, const std::vector<Measurable>& measurables, const Conversation& with);

}  // namespace tocuda
