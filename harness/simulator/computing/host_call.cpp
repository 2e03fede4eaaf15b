// tocuda, Apache-2.0.
#include "computing/host_call.hpp"

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <algorithm>
#include <array>
#include <string_view>

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

bool is_half(const c10::IValue& value) { return value.isTensor() && value.toTensor().scalar_type() == at::kHalf; }

bool is_product(const c10::OperatorName& name) {
    constexpr std::array<std::string_view, 9> products = {"mm",       "bmm",   "addmm",  "addmm_", "baddbmm",
                                                          "baddbmm_", "addmv", "addmv_", "addbmm"};
    std::string_view short_name = name.name;
    short_name.remove_prefix(std::min(short_name.size(), std::string_view("aten::").size()));
    return std::find(products.begin(), products.end(), short_name) != products.end();
}

// GPUs add products of half precision in float32. The CPU does so one by one, up to 60 times slower than in float32.
void multiply_in_float(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    const auto& arguments = op.schema().arguments();
    at::Tensor written;
    for (std::size_t i = 0; i < stack.size(); ++i) {
        if (!is_half(stack[i])) continue;
        const auto tensor = stack[i].toTensor();
        if (const auto* alias = arguments[i].alias_info(); alias != nullptr && alias->isWrite()) written = tensor;
        stack[i] = tensor.to(at::kFloat);
    }
    op.callBoxed(stack);
    const auto product = stack.front().toTensor();
    stack.front() = written.defined() ? written.copy_(product) : product.to(at::kHalf);
}

}  // namespace

OnlyKernels::OnlyKernels() : keys_(c10::DispatchKeySet(DispatchKey::BackendSelect), everything_above_kernels) {
    if (at::hasCallbacks()) not_recorded_.emplace();
}

HostCall::HostCall(const c10::OperatorHandle& op)
    : op_(op), drawn_(drawn_as_on_gpu(op.operator_name())), equivalent_(equivalent_of(op.operator_name())),
      is_product_(is_product(op.operator_name())) {}

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
    else if (is_product_ && std::any_of(stack.begin(), stack.end(), is_half)) multiply_in_float(op_, stack);
    else op_.callBoxed(stack);
}

bool is_capturing() { return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None; }

}  // namespace tocuda::computing
