// tocuda, Apache-2.0.
// Replaces the CUDA kernels in LibTorch's dispatch table: each is called as before, for its memory, launches and
// errors, and then computed on the CPU if it launched something that was not executed.
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "computing/call.hpp"
#include "computing/computed_counts.hpp"
#include "computing/first.hpp"
#include "computing/in_python.hpp"
#include "computing/quiet.hpp"
#include "computing/results.hpp"
#include "computing/running_call.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::computing {
namespace {

using c10::DispatchKey;
using torch::jit::Stack;

// This thread computes an operator instead of the kernel that failed. What fails then, fails.
thread_local bool instead = false;

class Instead {
public:
    Instead() { instead = true; }
    Instead(const Instead&) = delete;
    Instead& operator=(const Instead&) = delete;
    ~Instead() { instead = false; }
};

// Operators of a library that is loaded after the first use of a GPU. Those of Python come and go, and have no kernels
// of their own.
std::atomic<bool> has_new_operators = false;
void replace_new_kernels();

class NewOperators : public c10::OpRegistrationListener {
public:
    void onOperatorRegistered(const c10::OperatorHandle&) override { has_new_operators = true; }
    void onOperatorDeregistered(const c10::OperatorHandle&) override {}
};

class ComputedKernel : public c10::OperatorKernel {
public:
    ComputedKernel(const c10::OperatorHandle& op, DispatchKey key, c10::SafeKernelFunction kernel)
        : gpu_kernel(std::move(kernel)), on_host(op, key), first(computed_first(op, key)),
          needs_room(op.operator_name().name == "aten::_fused_moving_avg_obs_fq_helper"),
          size_argument(op.schema().argumentIndexWithName("output_size")), drawing(op), makes_only(only_makes(op)),
          is_copy(op.operator_name().name == "aten::copy_") {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) const {
        if (has_new_operators.load(std::memory_order_relaxed)) replace_new_kernels();
        const std::size_t below = stack->size() - op.schema().arguments().size();
        const Stack arguments(stack->begin() + static_cast<std::ptrdiff_t>(below), stack->end());
        if (needs_room) make_room(arguments);
        const RunningCall running(op.schema(), arguments);
        const std::optional<Draw> draw = drawing.before(*stack, below);  // the kernel advances the generator
        if (is_first(*stack, below)) {
            const auto given = c10::ArrayRef(*stack).slice(below);
            require_one_device(op, given, first == First::for_sizes);
            refuse_as_on_gpu(op, given);
            running.writes();
            return compute_instead(on_host, stack, first == First::for_sizes, draw);
        }
        const bool is_overtaken = running.is_overtaken();
        if (is_overtaken && is_copy) return torch::jit::drop(*stack, arguments.size() - 1);
        try {
            gpu_kernel.callBoxed(op, keys, stack);
        } catch (const c10::Error& error) {
            if (instead || !lacks_a_library(error)) throw;
            const Instead now;
            stack->resize(below);
            stack->insert(stack->end(), arguments.begin(), arguments.end());
            try {
                return compute_instead(on_host, stack, false, draw);
            } catch (const c10::NotImplementedError&) {
                say_what_is_lacking(op);
                throw error;  // the CPU has no such operator
            }
        }
        if (running.own() == 0 || is_overtaken || compute_again(arguments, *stack, draw)) return;
        running.writes();
        compute_after(on_host, arguments, *stack, draw, running.is_changed());
    }

private:
    // The CUDA kernel of a library may have read back for the size of its results what nothing had computed.
    bool compute_again(const Stack& arguments, Stack& stack, const std::optional<Draw>& draw) const {
        if (!makes_only || is_capturing() || !on_host.op().hasComputedKernelForDispatchKey(DispatchKey::CPU))
            return false;
        Stack again = arguments;
        try {
            compute_instead(on_host, &again, false, draw);
        } catch (const c10::Error&) {
            return false;
        }
        std::ranges::copy(again, stack.end() - static_cast<std::ptrdiff_t>(again.size()));
        return true;
    }

    // Whether an operator of a library changes nothing that it is given.
    static bool only_makes(const c10::OperatorHandle& op) {
        const auto is_fresh = [](const c10::Argument& result) { return !result.alias_info(); };
        return !op.operator_name().name.starts_with("aten::") && std::ranges::all_of(op.schema().returns(), is_fresh) &&
               std::ranges::none_of(op.schema().arguments(), is_written) && !op.schema().returns().empty();
    }

    bool is_first(const Stack& stack, std::size_t below) const {
        if (first == First::never || (size_argument && !stack[below + *size_argument].isNone())) return false;
        if (first == First::if_large)
            return is_large(on_host.op().operator_name().name, c10::ArrayRef(stack).slice(below));
        if (first != First::if_complex) return true;
        const c10::IValue& argument = stack[below];
        return argument.isTensor() && argument.toTensor().defined() && argument.toTensor().is_complex();
    }

    c10::SafeKernelFunction gpu_kernel;
    HostCall on_host;
    First first;
    bool needs_room;                   // its CUDA kernel gives arguments their sizes
    std::optional<int> size_argument;  // the argument that may say how large the result is
    Drawing drawing;
    bool makes_only;
    bool is_copy;  // it may move bytes without a kernel
};

// LibTorch asks this of each input of a recurrent network; cuDNN's kernels could not run.
class CudnnIsNotAcceptable : public c10::OperatorKernel {
public:
    void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, Stack* stack) const { stack->back() = false; }
};

// Registered for as long as the process lives.
void replace(const c10::OperatorName& name, DispatchKey key, c10::KernelFunction kernel) {
    static auto* const kept = new std::vector<c10::RegistrationHandleRAII>;
    kept->push_back(c10::Dispatcher::singleton().registerImpl(name, key, std::move(kernel), std::nullopt, nullptr,
                                                              "tocuda: computed on the CPU"));
}

// Views launch nothing.
bool only_views(const c10::OperatorHandle& op) {
    for (const c10::Argument& result : op.schema().returns())
        if (!result.alias_info() || result.alias_info()->isWrite()) return false;
    return !op.schema().returns().empty();
}

void replace_kernels(DispatchKey key, bool again) {
    auto& dispatcher = c10::Dispatcher::singleton();
    static auto* const seen_by_key = new std::map<DispatchKey, std::set<std::pair<std::string, std::string>>>;
    auto& seen = (*seen_by_key)[key];
    for (const auto from :
         {key, DispatchKey::CompositeExplicitAutograd, DispatchKey::CompositeExplicitAutogradNonFunctional}) {
        for (const auto& name : dispatcher.getRegistrationsForDispatchKey(from)) {
            if (!seen.emplace(name.name, name.overload_name).second) continue;
            const auto op = dispatcher.findSchema(name);
            if (op && again && op->debug().find(".py:") != std::string::npos) continue;
            if (!op || only_views(*op) || !op->hasComputedKernelForDispatchKey(key)) continue;
            if (op->hasKernelForDispatchKey(key) && op->isKernelFallthroughKernel(key)) continue;
            auto kernel = c10::KernelFunction::makeFromBoxedFunctor(
                std::make_unique<ComputedKernel>(*op, key, op->getComputedKernelForDispatchKey(key)));
            replace(name, key, std::move(kernel));
        }
    }
}

void replace_all_kernels(bool again) {
    const Quiet quiet;
    for (const auto key : {DispatchKey::CUDA, DispatchKey::SparseCUDA, DispatchKey::SparseCsrCUDA,
                           DispatchKey::NestedTensorCUDA, DispatchKey::QuantizedCUDA})
        replace_kernels(key, again);
}

void replace_new_kernels() {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (has_new_operators.exchange(false)) replace_all_kernels(true);
}

}  // namespace

// Called by the simulated runtime when a program with LibTorch first uses a device.
extern "C" void tocuda_computing_begin() {
    at::globalContext().setUserEnabledCuDNN(false);
    at::globalContext().setSDPUseCuDNN(false);
    torch::jit::overrideCanFuseOnGPU(false);  // traced functions then run operators, which are computed
    change_pytorch();
    const char* const computes = std::getenv("TOCUDA_COMPUTE");
    if (!computes || std::string_view(computes) != "1") return;
    offer_memory_to_kernels();
    replace_all_kernels(false);
    const Quiet quiet;
    replace({"aten::cudnn_is_acceptable", ""}, DispatchKey::CUDA,
            c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<CudnnIsNotAcceptable>()));
    [[maybe_unused]] static auto* const listening = new c10::RegistrationHandleRAII(
        c10::Dispatcher::singleton().addRegistrationListener(std::make_unique<NewOperators>()));
    has_new_operators = false;  // it was told of all that there are
}

// Called when LibTorch may have set up its allocator since.
extern "C" void tocuda_computing_look() { watch_allocator(); }

}  // namespace tocuda::computing
