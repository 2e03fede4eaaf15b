// tocuda, Apache-2.0.
// The runtime's functions for errors: the thread's last one, names and texts.
#include <algorithm>
#include <iterator>

#include "runtime/call_frame.hpp"

namespace tocuda::simulator {
namespace {

struct ErrorText {
    int code;
    const char* name;
    const char* text;
};

// Those of the real runtime: the build asks the one that it found.
constexpr ErrorText error_texts[] = {
#include "error_texts.inc"
};
constexpr ErrorText unknown_code{-1, "unrecognized error code", "unrecognized error code"};

const ErrorText& text_of(int code) {
    const auto* found = std::ranges::find(error_texts, code, &ErrorText::code);
    return found == std::end(error_texts) ? unknown_code : *found;
}

cudaError_t last_error() {
    if (!Simulation::started()) return Thread::mine().last_error;
    Simulation& simulation = Simulation::here();
    if (simulation.refusal() != cudaSuccess) return Thread::mine().last_error;
    const std::lock_guard lock(simulation.mutex);
    return simulation.faults.sticky() != 0 ? static_cast<cudaError_t>(simulation.faults.sticky())
                                           : Thread::mine().last_error;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
    const cudaError_t last = last_error();
    Thread::mine().last_error = cudaSuccess;
    return last;
}

cudaError_t cudaPeekAtLastError() { return last_error(); }

const char* cudaGetErrorName(cudaError_t code) { return text_of(code).name; }

const char* cudaGetErrorString(cudaError_t code) {
    if (Simulation::started()) {
        const auto& own = Simulation::here().profile.error_texts;
        if (const auto found = own.find(code); found != own.end()) return found->second.c_str();
    }
    return text_of(code).text;
}

}  // extern "C"
}  // namespace tocuda::simulator
