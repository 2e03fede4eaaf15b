// tocuda, Apache-2.0.
// Calls an operator on the CPU, as if nothing but its kernel existed: no autograd, autocast or modes of Python.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>
#include <vector>

#include "computing/drawing_operators.hpp"
#include "computing/equivalents.hpp"
#include "computing/numbers.hpp"
#include "computing/quiet.hpp"
#include "computing/running_call.hpp"

namespace tocuda::computing {

// In its scope LibTorch calls kernels and nothing else.
class OnlyKernels {
    c10::impl::ForceDispatchKeyGuard keys;
    c10::NoGradGuard no_grad;
    std::optional<at::DisableRecordFunctionGuard> not_recorded;  // if anything records: it costs half a small operator
    Quiet quiet;
    Uncounted uncounted;

public:
    OnlyKernels();
};

// What an operator computes in float32 that is given in half precision, where the CPU's kernel rounds on the way.
enum class InFloat { never, where_the_cpu_fails, products, if_accumulating, always };

// What computes an operator on the CPU, looked up once.
class HostCall {
public:
    HostCall(const c10::OperatorHandle& op, c10::DispatchKey key);

    const c10::OperatorHandle& op() const { return operation; }
    // Replaces the arguments on the stack by the results. Throws what the kernel throws. New results may be float32
    // where those of a GPU are in half precision.
    void operator()(torch::jit::Stack& stack, const std::optional<Draw>& draw) const;
    // Whether it does so with these arguments.
    bool computes_in_float(const torch::jit::Stack& stack) const;
    // The same with float32 in place of half precision: some of the CPU's kernels lack that, or its mixture with
    // float32. Returns false if no argument has it, or if a GPU does not compute the operator in half precision either.
    bool in_float(torch::jit::Stack& stack, const std::optional<Draw>& draw) const;

private:
    void call(torch::jit::Stack& stack, const std::optional<Draw>& draw) const;

    c10::OperatorHandle operation;
    Drawn drawn;
    Equivalent equivalent;
    InFloat float_form;
    std::vector<std::size_t> indices;  // which arguments may be 32 bits wide on a GPU, and not on the CPU
};

// Whether the current stream is being captured.
bool is_capturing();

}  // namespace tocuda::computing
