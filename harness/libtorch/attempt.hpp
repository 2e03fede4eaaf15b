// tocuda, Apache-2.0.
// Something tried, and the exception it ended in: type and code first, the text last, because texts change between versions.
#pragma once

#include <functional>
#include <string>

#include "worker/observer.hpp"

namespace tocuda {

struct Attempt {
    bool threw = false;
    std::string type{};     // the most derived type that LibTorch promises: "c10::AcceleratorError"
    int code = 0;           // of an AcceleratorError: the runtime's error number
    std::string message{};  // without the backtrace
};

Attempt attempt(const std::function<void()>& action);

// Three keys: NAME.threw, and where it did NAME.type, NAME.code, NAME.message.
void say(Observer& see, const std::string& name, const Attempt& attempt);

}  // namespace tocuda
