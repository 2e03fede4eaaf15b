// tocuda, Apache-2.0.
// NVML, the management library: loaded if the machine has it, called by name. Only this room knows its interface.
#pragma once

#include <string>

#include "model/problem.hpp"

namespace tocuda {

// A library opened at run time. It is never closed, because drivers leave threads behind that would go on running
// unmapped code.
class SharedLibrary {
public:
    explicit SharedLibrary(const std::string& name);

    bool loaded() const { return handle; }
    const std::string& error() const { return reason; }

    // Null if the library has no such function.
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(address(name));
    }

    // Where the loader found it; empty if unknown.
    std::string file() const;

private:
    void* address(const char* name) const;

    void* handle;
    std::string reason;
};

// NVML's interface as documented. Success is 0; a device is an opaque pointer.
namespace nvml {

using Handle = void*;
using Init = int();
using ErrorString = const char*(int error);
using SystemText = int(char* text, unsigned length);
using Count = int(unsigned* count);
using HandleByIndex = int(unsigned index, Handle* device);
using PartByIndex = int(Handle whole, unsigned index, Handle* part);
using HandleByText = int(const char* text, Handle* device);
using HandleOfPart = int(Handle part, Handle* whole);
using DeviceText = int(Handle device, char* text, unsigned length);
using DeviceNumber = int(Handle device, unsigned* number);
using DeviceLongNumber = int(Handle device, unsigned long long* number);
using DevicePair = int(Handle device, unsigned* current, unsigned* pending);
using NumberOfKind = int(Handle device, unsigned kind, unsigned* number);

constexpr unsigned sm_clock = 1;
constexpr unsigned memory_clock = 2;
constexpr unsigned gpu_sensor = 0;

// NVML's field values: here, counters of nanoseconds by field number.
struct FieldValue {
    unsigned field = 0;
    unsigned scope = 0;
    long long timestamp_us = 0;
    long long latency_us = 0;
    int type = 0;
    int answer = 0;
    union {
        double real;
        int whole;
        unsigned natural;
        unsigned long long_natural_of_the_system;
        unsigned long long long_natural;
        long long long_whole;
        unsigned short short_natural;
    } value{.long_natural = 0};
};
using FieldValues = int(Handle device, int count, FieldValue* values);

struct Process {
    unsigned pid = 0;
    unsigned long long bytes = 0;
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
};
using Processes = int(Handle device, unsigned* count, Process* processes);
constexpr int too_little_room = 7;

}  // namespace nvml

class Management {
public:
    static constexpr const char* usual_name = "libnvidia-ml.so.1";

    // Loads and initialises NVML.
    explicit Management(const std::string& name = usual_name);

    // Whether NVML can be used.
    const Expected<void>& usable() const { return state; }
    std::string file() const { return library.file(); }

    // Fails unless the call returned 0.
    template <class Function, class... Arguments>
    Expected<void> ask(const char* name, Arguments... arguments) const {
        const auto answer = answered<Function>(name, arguments...);
        if (answer != 0) return problem(words_for(name, answer));
        return {};
    }

    // The call's result; negative if there is no such function.
    template <class Function, class... Arguments>
    int answered(const char* name, Arguments... arguments) const {
        const auto function = library.function<Function>(name);
        return function ? function(arguments...) : absent;
    }

private:
    static constexpr int absent = -1;
    std::string words_for(const char* name, int answer) const;

    SharedLibrary library;
    Expected<void> state{};
};

}  // namespace tocuda
