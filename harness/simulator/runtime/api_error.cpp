// tocuda, Apache-2.0.
// The runtime's functions for errors: the thread's last one, names and texts.
#include "runtime/answer.hpp"
#include "runtime/error_texts.hpp"

using tocuda::simulator::error_text_count;
using tocuda::simulator::error_texts;
using tocuda::simulator::ErrorText;
using tocuda::simulator::Simulation;
using tocuda::simulator::Thread;

namespace {

constexpr const char* unknown_code = "unrecognized error code";

const ErrorText* text_of(int code) {
    for (std::size_t i = 0; i < error_text_count; ++i) {
        if (error_texts[i].code == code) return &error_texts[i];
    }
    return nullptr;
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

const char* cudaGetErrorName(cudaError_t code) {
    const ErrorText* known = text_of(code);
    return known == nullptr ? unknown_code : known->name;
}

const char* cudaGetErrorString(cudaError_t code) {
    if (Simulation::started()) {
        const auto& own = Simulation::here().profile.error_texts;
        if (const auto found = own.find(code); found != own.end()) return found->second.c_str();
    }
    const ErrorText* known = text_of(code);
    return known == nullptr ? unknown_code : known->text;
}

}  // extern "C"
