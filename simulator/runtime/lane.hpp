// tocuda, Apache-2.0.
// A resource that does one operation at a time, such as a copy engine with its direction of the link. First come, first
// served, but a long enough gap is used.
#pragma once

#include <map>

namespace tocuda::simulator {

class Lane {
public:
    // The first moment, not before `from`, from which it is free for `seconds`.
    double free_from(double from, double seconds) const;
    // `now` promises that no earlier time will be asked for again.
    void take(double start, double seconds, double now);

private:
    std::map<double, double> busy;  // begin of a stretch to its end
};

}  // namespace tocuda::simulator
