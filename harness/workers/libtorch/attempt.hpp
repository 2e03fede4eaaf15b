// tocuda, Apache-2.0.
// Runs an action and returns the exception it threw; names of devices, dtypes and layouts.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>

#include <functional>
#include <sstream>
#include <string>

#include "model/evidence.hpp"
#include "worker/observer.hpp"

namespace tocuda {

// Names of devices, dtypes and layouts as written in evidence.
inline std::string text(const c10::Device& device) { return device.str(); }
inline std::string text(c10::ScalarType type) { return c10::toString(type); }
inline std::string text(c10::Layout layout) {
    std::ostringstream stream;
    stream << layout;
    return stream.str();
}

// Runs an action and returns the exception it threw: type and code before text, because texts change with versions.
struct Attempt {
    bool threw = false;
    std::string type{};     // the most derived type of LibTorch's API: "c10::AcceleratorError"
    int code = 0;           // the runtime's error number of an AcceleratorError
    std::string message{};  // without the backtrace
};

Attempt attempt(const std::function<void()>& action);

// Records NAME.threw and, if true, NAME.type, NAME.code and NAME.message.
void say(Observer& see, const std::string& name, const Attempt& attempt);

// For judges. That something threw proves nothing; its type with a code or text does.
bool threw(const Evidence& evidence, const std::string& name, const std::string& type, const std::string& words = "");
bool threw_code(const Evidence& evidence, const std::string& name, int code);  // AcceleratorError
bool threw_out_of_memory(const Evidence& evidence, const std::string& name);   // of the GPU
bool threw_host_is_full(const Evidence& evidence, const std::string& name);    // of the CPU's allocator

// "AcceleratorError 101", "OutOfMemoryError", "c10::Error": for a sentence.
std::string error_name(const Evidence& evidence, const std::string& name);

// Throws Undecided if a control also failed: then the cause is not what was tried.
void require_control(const Evidence& evidence, const std::string& name, const std::string& what);

}  // namespace tocuda
