// tocuda, Apache-2.0.
#include "computing/host_call.hpp"

#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace tocuda::computing {
namespace {

using c10::DispatchKey;

const c10::DispatchKeySet everything_above_kernels =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset | c10::functorch_transforms_ks |
    c10::python_ks |
    c10::DispatchKeySet({DispatchKey::FuncTorchDynamicLayerFrontMode, DispatchKey::FuncTorchDynamicLayerBackMode,
                         DispatchKey::PythonDispatcher, DispatchKey::PreDispatch, DispatchKey::Functionalize});

using Operators = std::unordered_multimap<std::string, c10::OperatorHandle>;

// Those of the CPU with `out` arguments, by their names.
const Operators& operators_with_out() {
    static const auto* const found = [] {
        auto* const operators = new Operators;
        auto& dispatcher = c10::Dispatcher::singleton();
        for (const auto& name : dispatcher.getRegistrationsForDispatchKey(DispatchKey::CPU)) {
            const auto op = dispatcher.findSchema(name);
            if (op && !op->schema().arguments().empty() && op->schema().arguments().back().is_out())
                operators->emplace(name.name, *op);
        }
        return operators;
    }();
    return *found;
}

// Whether the one takes the other's arguments, then `out` for each of its results.
bool takes_results_of(const c10::FunctionSchema& with_out, const c10::FunctionSchema& schema) {
    const auto& given = with_out.arguments();
    const auto& arguments = schema.arguments();
    if (given.size() != arguments.size() + schema.returns().size()) return false;
    const auto same = [](const c10::Argument& a, const c10::Argument& b) {
        return a.name() == b.name() && *a.type() == *b.type();
    };
    const auto is_out = [](const c10::Argument& argument) { return argument.is_out(); };
    const auto outs = std::mismatch(arguments.begin(), arguments.end(), given.begin(), same);
    return outs.first == arguments.end() && std::all_of(outs.second, given.end(), is_out);
}

// Of an operator that LibTorch calls structured: it decides types, sizes and strides of the results for both devices
// alike. Only these have a kernel for this key.
std::optional<c10::OperatorHandle> with_out(const c10::OperatorHandle& op) {
    const auto makes = [](const c10::Argument& result) {
        return result.alias_info() == nullptr && result.type()->kind() == c10::TypeKind::TensorType;
    };
    const auto& returns = op.schema().returns();
    if (returns.empty() || !std::all_of(returns.begin(), returns.end(), makes) ||
        !op.hasKernelForDispatchKey(DispatchKey::CPU) ||
        !op.hasKernelForDispatchKey(DispatchKey::CompositeExplicitAutogradNonFunctional))
        return {};
    const auto [first, last] = operators_with_out().equal_range(op.operator_name().name);
    const auto found =
        std::find_if(first, last, [&](const auto& one) { return takes_results_of(one.second.schema(), op.schema()); });
    return found == last ? std::nullopt : std::optional(found->second);
}

// Hands the numbers to an operator whose order of drawing is not reproduced.
void give(const c10::OperatorHandle& op, torch::jit::Stack& stack, const at::Generator& numbers) {
    const auto generator = op.schema().argumentIndexWithName("generator");
    TORCH_CHECK(generator, "it draws random numbers from the CPU's generator");
    at::check_generator<Numbers>(numbers)->seed_cpu();
    stack[static_cast<std::size_t>(*generator)] = numbers;
}

}  // namespace

OnlyKernels::OnlyKernels() : keys_(c10::DispatchKeySet(DispatchKey::BackendSelect), everything_above_kernels) {
    if (at::hasCallbacks()) not_recorded_.emplace();
}

HostCall::HostCall(const c10::OperatorHandle& op)
    : op_(op), drawn_(drawn_as_on_gpu(op.operator_name())), equivalent_(equivalent_of(op.operator_name())) {
    if (drawn_ == nullptr && equivalent_ == nullptr) into_ = with_out(op);
}

void HostCall::operator()(torch::jit::Stack& stack, const std::optional<Draw>& draw) const {
    const OnlyKernels only_kernels;
    if (draw) {
        const auto numbers = at::make_generator<Numbers>(*draw);
        if (drawn_ != nullptr) {
            stack = drawn_(stack, numbers);
            return;
        }
        give(op_, stack, numbers);
    }
    if (equivalent_ != nullptr) stack = equivalent_(stack);
    else if (stack.size() > op_.schema().arguments().size()) into_->callBoxed(stack);
    else op_.callBoxed(stack);
}

bool is_capturing() { return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None; }

}  // namespace tocuda::computing
