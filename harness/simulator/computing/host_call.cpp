// tocuda, Apache-2.0.
#include "computing/host_call.hpp"

#include <c10/cuda/CUDAGraphsC10Utils.h>

namespace tocuda::computing {
namespace {

using c10::DispatchKey;

const c10::DispatchKeySet everything_above_kernels =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset | c10::functorch_transforms_ks |
    c10::python_ks |
    c10::DispatchKeySet({DispatchKey::FuncTorchDynamicLayerFrontMode, DispatchKey::FuncTorchDynamicLayerBackMode,
                         DispatchKey::PythonDispatcher, DispatchKey::PreDispatch, DispatchKey::Functionalize});

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
    : op_(op), drawn_(drawn_as_on_gpu(op.operator_name())), equivalent_(equivalent_of(op.operator_name())) {}

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
    else op_.callBoxed(stack);
}

bool is_capturing() { return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None; }

}  // namespace tocuda::computing
