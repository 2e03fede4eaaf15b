// tocuda, Apache-2.0.
// Something that does one operation at a time: a copy engine with its direction of the link. First come, first served;
// a gap that is long enough is used.
#pragma once

#include <map>

namespace tocuda::stand_in {

class Lane {
public:
    // The first moment, not before `from`, at which it is free for so long.
    double free_from(double from, double seconds) const;
    // `now`: nothing will be asked of the time before.
    void take(double start, double seconds, double now);

private:
    std::map<double, double> busy_;  // from when until when
};

}  // namespace tocuda::stand_in
