// tocuda, Apache-2.0.
// Something tried, and the exception it ended in: type and code first, the text last, because texts change between versions.
#pragma once

#include <functional>
#include <string>

#include "model/evidence.hpp"
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

// For judges. That something threw says nothing: what threw, and with what code or words, does.
bool threw(const Evidence& evidence, const std::string& name, const std::string& type, const std::string& words = "");
bool threw_code(const Evidence& evidence, const std::string& name, int code);  // an AcceleratorError
bool threw_out_of_memory(const Evidence& evidence, const std::string& name);   // of the GPU
bool threw_host_is_full(const Evidence& evidence, const std::string& name);    // of the CPU's allocator

// Undecided where a control failed too: then it is not what was tried that is at fault.
void require_control(const Evidence& evidence, const std::string& name, const std::string& what);

}  // namespace tocuda
