// tocuda, Apache-2.0.
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "computing/in_python.hpp"
#include "computing/memory_history.hpp"

namespace tocuda::computing {
namespace {

struct Kind {
    std::string_view operators;  // the beginning of their names
    const char* what;
    std::atomic<bool> noted = false;
};

// cuDNN is off on simulated GPUs, sizes of results can depend on values that were not computed, and NCCL's buffers are
// not taken from them.
std::array<Kind, 10> kinds{{{"aten::convolution", "cudnn"},
                            {"aten::batch_norm", "cudnn"},
                            {"aten::lstm", "cudnn"},
                            {"aten::gru", "cudnn"},
                            {"aten::rnn_", "cudnn"},
                            {"aten::nonzero", "sizes"},
                            {"aten::masked_select", "sizes"},
                            {"aten::_unique", "sizes"},
                            {"aten::unique_", "sizes"},
                            {"c10d::", "collectives"}}};

bool is_on_gpu(const c10::IValue& value) {
    if (value.isTensor()) return value.toTensor().defined() && value.toTensor().is_cuda();
    if (value.isTensorList()) {
        const auto tensors = value.toTensorVector();
        return !tensors.empty() && tensors[0].defined() && tensors[0].is_cuda();
    }
    return false;
}

std::unique_ptr<at::ObserverContext> note_kind(const at::RecordFunction& function) {
    const std::string_view name = function.name();
    for (Kind& kind : kinds) {
        if (!name.starts_with(kind.operators) || kind.noted.load(std::memory_order_relaxed)) continue;
        if (std::ranges::any_of(function.inputs(), is_on_gpu) && !kind.noted.exchange(true))
            record_note(kind.what, name);
    }
    return nullptr;
}

bool is_step(const at::RecordFunction& function) {
    return std::string_view(function.name()).starts_with("Optimizer.step#");
}

thread_local int steps_under_way = 0;  // an optimizer may wrap another one
thread_local const void* handled_before = nullptr;

std::unique_ptr<at::ObserverContext> begin_step(const at::RecordFunction& function) {
    if (is_step(function) && ++steps_under_way == 1) handled_before = handled_exception();
    return nullptr;
}

void end_step(const at::RecordFunction& function, at::ObserverContext*) {
    static std::atomic<long> steps = 0;
    static const long most = [] {
        const char* const text = std::getenv("TOCUDA_STEPS");
        return text ? std::atol(text) : 0;
    }();
    if (!is_step(function) || --steps_under_way > 0) return;
    // One that ended with an error is no step: the program is to end by that error.
    if (const auto* const handled = handled_exception(); handled && handled != handled_before) return;
    record_step();
    if (++steps >= most && most > 0) end_program();
}

}  // namespace

void watch_program() {
    at::addGlobalCallback(at::RecordFunctionCallback(note_kind).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
    at::addGlobalCallback(at::RecordFunctionCallback(begin_step, end_step).scopes({at::RecordScope::USER_SCOPE}));
}

}  // namespace tocuda::computing
