// tocuda, Apache-2.0.
#include "computing/running_call.hpp"

#include "computing/on_host.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::computing {
namespace {

// Launches of this thread in calls that are over: computed by them, not by the call around them.
thread_local std::uint64_t answered = 0;
thread_local RunningCall* running_here = nullptr;

const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
    return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

}  // namespace

RunningCall::RunningCall(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments)
    : signature(schema), stack(arguments), outer(running_here), in_operator(tocuda_simulation_in_operator(1)),
      launched_before(tocuda_simulation_launched_here()), answered_before(answered) {
    if (outer) outer->launched_before_within = outer->own() > 0;
    running_here = this;
}

RunningCall::~RunningCall() {
    answered = answered_before + tocuda_simulation_launched_here() - launched_before;
    running_here = outer;
    tocuda_simulation_in_operator(in_operator);
}

std::uint64_t RunningCall::own() const {
    return tocuda_simulation_launched_here() - launched_before - (answered - answered_before);
}

template <typename Is>
bool RunningCall::any_written(Is&& is) const {
    for (std::size_t i = 0; i < stack.size(); ++i) {
        if (!is_written(signature.arguments()[i])) continue;
        bool found = false;
        each_tensor(stack[i], [&](const at::Tensor& tensor) {
            if (const auto* storage = storage_of(tensor); storage) found = found || is(i, storage);
        });
        if (found) return true;
    }
    return false;
}

bool RunningCall::is_overtaken() const {
    for (const RunningCall* around = outer; around; around = around->outer) {
        if (!around->launched_before_within) continue;
        const auto is_its = [&](std::size_t, const c10::StorageImpl* mine) {
            return around->any_written([&](std::size_t, const c10::StorageImpl* its) { return its == mine; });
        };
        if (any_written(is_its)) return true;
    }
    return false;
}

// What is written and not an `out` is read, too.
bool RunningCall::changes(const RunningCall& around) const {
    return any_written([&](std::size_t, const c10::StorageImpl* mine) {
        return around.any_written([&](std::size_t i, const c10::StorageImpl* its) {
            return its == mine && !around.signature.arguments()[i].is_out();
        });
    });
}

void RunningCall::writes() const {
    for (RunningCall* around = outer; around; around = around->outer)
        if (changes(*around)) around->changed = true;
}

}  // namespace tocuda::computing
