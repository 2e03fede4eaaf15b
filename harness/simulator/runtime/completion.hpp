// tocuda, Apache-2.0.
// A point in a stream that others can wait for: when it is passed in virtual time, and whether everything before it is
// done.
#pragma once

#include <memory>

namespace tocuda::simulator {

class Stream;

struct Completion {
    Stream* stream = nullptr;  // the stream it is in; null once passed
    bool known = false;        // whether `seconds` is known
    bool done = false;
    double seconds = 0;
};

using CompletionPointer = std::shared_ptr<Completion>;

}  // namespace tocuda::simulator
