// tocuda, Apache-2.0.
// Replaces the CUDA kernels in LibTorch's dispatch table: each is called as before, for its memory, launches and
// errors, and then computed on the CPU if it launched something that was not executed.
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/codegen/fuser/interface.h>

#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "computing/call.hpp"
#include "computing/first.hpp"
#include "computing/quiet.hpp"
#include "computing/report.hpp"
#include "computing/results.hpp"
#include "simulation.h"

namespace tocuda::computing {
namespace {

using c10::DispatchKey;
using torch::jit::Stack;

// Launches of this thread in calls that are over: computed by them, not by the call around them.
thread_local std::uint64_t answered = 0;

// The launches within one call, whether it returns or throws.
class Launches {
public:
    Launches() = default;
    Launches(const Launches&) = delete;
    Launches& operator=(const Launches&) = delete;
    ~Launches() {
        answered = answered_before_ + tocuda_simulation_launched_here() - launched_before_;
        tocuda_simulation_in_operator(around_);
    }

    std::uint64_t own() const {
        return tocuda_simulation_launched_here() - launched_before_ - (answered - answered_before_);
    }

private:
    int around_ = tocuda_simulation_in_operator(1);
    std::uint64_t launched_before_ = tocuda_simulation_launched_here();
    std::uint64_t answered_before_ = answered;
};

// This thread computes an operator instead of the kernel that failed. What fails then, fails.
thread_local bool instead = false;

class Instead {
public:
    Instead() { instead = true; }
    Instead(const Instead&) = delete;
    Instead& operator=(const Instead&) = delete;
    ~Instead() { instead = false; }
};

class ComputedKernel : public c10::OperatorKernel {
public:
    ComputedKernel(const c10::OperatorHandle& op, DispatchKey key, c10::SafeKernelFunction kernel)
        : kernel_(std::move(kernel)), on_host_(op), first_(computed_first(op, key)), drawing_(op) {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) const {
        const Launches launches;
        const std::size_t below = stack->size() - op.schema().arguments().size();
        const std::optional<Draw> draw = drawing_.before(*stack, below);  // the kernel advances the generator
        if (is_first(*stack, below)) {
            require_one_device(op, c10::ArrayRef(*stack).slice(below), first_ == First::for_sizes);
            return compute_instead(on_host_, stack, first_ == First::for_sizes, draw);
        }
        const Stack arguments(stack->begin() + static_cast<std::ptrdiff_t>(below), stack->end());
        try {
            kernel_.callBoxed(op, keys, stack);
        } catch (const c10::Error& error) {
            if (instead || !lacks_a_library(error)) throw;
            const Instead now;
            stack->resize(below);
            stack->insert(stack->end(), arguments.begin(), arguments.end());
            try {
                return compute_instead(on_host_, stack, false, draw);
            } catch (const c10::NotImplementedError&) {
                throw error;  // the CPU has no such operator
            }
        }
        if (launches.own() > 0) compute_after(on_host_, arguments, *stack, draw);
    }

private:
    bool is_first(const Stack& stack, std::size_t below) const {
        if (first_ == First::never) return false;
        if (first_ != First::if_complex) return true;
        const c10::IValue& argument = stack[below];
        return argument.isTensor() && argument.toTensor().defined() && argument.toTensor().is_complex();
    }

    c10::SafeKernelFunction kernel_;
    HostCall on_host_;
    First first_;
    Drawing drawing_;
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
        if (result.alias_info() == nullptr || result.alias_info()->isWrite()) return false;
    return !op.schema().returns().empty();
}

void replace_kernels(DispatchKey key) {
    auto& dispatcher = c10::Dispatcher::singleton();
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto from :
         {key, DispatchKey::CompositeExplicitAutograd, DispatchKey::CompositeExplicitAutogradNonFunctional}) {
        for (const auto& name : dispatcher.getRegistrationsForDispatchKey(from)) {
            if (!seen.emplace(name.name, name.overload_name).second) continue;
            const auto op = dispatcher.findSchema(name);
            if (!op || only_views(*op) || !op->hasComputedKernelForDispatchKey(key)) continue;
            if (op->hasKernelForDispatchKey(key) && op->isKernelFallthroughKernel(key)) continue;
            auto kernel = c10::KernelFunction::makeFromBoxedFunctor(
                std::make_unique<ComputedKernel>(*op, key, op->getComputedKernelForDispatchKey(key)));
            replace(name, key, std::move(kernel));
        }
    }
}

}  // namespace

// Called by the simulated runtime when a program with LibTorch first uses a device.
extern "C" void tocuda_computing_begin() {
    at::globalContext().setUserEnabledCuDNN(false);
    at::globalContext().setSDPUseCuDNN(false);
    torch::jit::overrideCanFuseOnGPU(false);  // traced functions then run operators, which are computed
    const char* const computes = std::getenv("TOCUDA_COMPUTE");
    if (computes == nullptr || std::string_view(computes) != "1") return;
    offer_memory_to_kernels();
    const Quiet quiet;
    for (const auto key : {DispatchKey::CUDA, DispatchKey::SparseCUDA, DispatchKey::SparseCsrCUDA,
                           DispatchKey::NestedTensorCUDA, DispatchKey::QuantizedCUDA})
        replace_kernels(key);
    replace({"aten::cudnn_is_acceptable", ""}, DispatchKey::CUDA,
            c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<CudnnIsNotAcceptable>()));
}

// Called when LibTorch may have set up its allocator since.
extern "C" void tocuda_computing_look() { watch_allocator(); }

}  // namespace tocuda::computing
