// tocuda, Apache-2.0.
// An event: the point of a stream where it was last recorded.
#pragma once

#include "runtime/completion.hpp"

namespace tocuda::simulator {

struct Event {
    int device = 0;
    bool timed = true;
    CompletionPointer recorded;  // null if never recorded
};

}  // namespace tocuda::simulator
