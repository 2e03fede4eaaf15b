// tocuda, Apache-2.0.
// A point in a stream that others wait for: when it is passed in virtual time, and whether all before it was done.
#pragma once

#include <memory>

namespace tocuda::stand_in {

class Stream;

struct Completion {
    Stream* stream = nullptr;  // where it is awaited; null once it was passed
    bool known = false;        // its time is
    bool done = false;
    double seconds = 0;
};

using CompletionPointer = std::shared_ptr<Completion>;

}  // namespace tocuda::stand_in
