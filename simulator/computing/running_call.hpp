// tocuda, Apache-2.0.
// A call of an operator while its CUDA path runs: what it launches, and what the calls within it write.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <vector>

#include "computing/on_host.hpp"

namespace tocuda::computing {

inline bool is_written(const c10::Argument& argument) {
    return argument.alias_info() && argument.alias_info()->isWrite();
}

// The calls of a thread lie within each other. One whose kernels were not executed is computed when it has returned,
// from what it was given; a call within it that writes there would change that.
class RunningCall {
public:
    RunningCall(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments);
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;
    ~RunningCall();

    // Launches that no call within it has answered for.
    std::uint64_t own() const;
    // Whether what it writes will be written by a call around it, which has launched something before. What it would
    // write itself is made of what nothing has computed.
    bool is_overtaken() const;
    // To be called when it is computed.
    void writes() const;
    // Whether a call within it has written what it is computed from.
    bool is_changed() const { return changed; }

private:
    template <typename Is>
    bool any_written(Is&& is) const;
    bool changes(const RunningCall& around) const;

    const c10::FunctionSchema& signature;
    const torch::jit::Stack& stack;
    RunningCall* outer;
    int in_operator;
    std::uint64_t launched_before;
    std::uint64_t answered_before;
    bool launched_before_within = false;  // when the innermost call within it began
    bool changed = false;
};

}  // namespace tocuda::computing
