// tocuda, Apache-2.0.
// Computes how much of the other direction ran while the timed operations did.
#pragma once

#include <vector>

namespace tocuda {

// A piece that ended at this moment, in seconds since the start of the timed operations.
struct Passed {
    double at = 0;
    double operations = 0;  // since the previous piece; may be a fraction
};

// Returns how many operations of these consecutive pieces, the first of which started at `began`, lie within the first
// `seconds`. A piece that ends later counts by its time within, at a rate no faster than that of the piece before: once
// the timed operations have ended, it has the link to itself.
double passed_within(double seconds, double began, const std::vector<Passed>& passed);

}  // namespace tocuda
