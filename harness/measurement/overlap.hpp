// tocuda, Apache-2.0.
// How much of what went on beside passed while the timed operations did.
#pragma once

#include <vector>

namespace tocuda {

// Something that was through at this moment, which is counted in seconds from the beginning of what is timed.
struct Passed {
    double at = 0;
    double operations = 0;  // since the one before it; may be a part of one
};

// Of what passed one after the other, from `began` on, what lies within the first `seconds`. What ends later counts by
// the time that lies within, and as if it had been no faster there than what came before it: once the timed operations
// are over, it has the link for itself.
double passed_within(double seconds, double began, const std::vector<Passed>& passed);

}  // namespace tocuda
