// tocuda, Apache-2.0.
#include "computing/host_call.hpp"

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "computing/first.hpp"

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

bool is_half(at::ScalarType type) {
    const auto real = at::toRealValueType(type);
    return real == at::kHalf || real == at::kBFloat16;
}

at::ScalarType wide_type(at::ScalarType type) { return at::isComplexType(type) ? at::kComplexFloat : at::kFloat; }

bool is_type(const c10::Argument& argument) { return argument.real_type()->str().starts_with("ScalarType"); }

// The arguments of a call, with float32 in place of half precision.
class Widened {
public:
    Widened(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
        for (std::size_t i = 0; i < stack.size(); ++i) widen(op.schema().arguments()[i], stack[i]);
    }
    bool any() const { return has_widened; }
    // To be called with the results: what was written is brought back.
    void bring_back(torch::jit::Stack& results) const {
        for (const auto& [wide, narrow] : write_backs) {
            narrow.copy_(wide);
            for (c10::IValue& result : results)
                if (result.isTensor() && result.toTensor().is_same(wide)) result = narrow;
        }
    }

private:
    void widen(const c10::Argument& argument, c10::IValue& value) {
        if (value.isTensor()) {
            // Normalizations write their running statistics without saying so.
            value = wide(value.toTensor(), is_written(argument) || argument.name().starts_with("running_"));
        } else if (value.isTensorList()) {
            c10::List<at::Tensor> list;
            for (const at::Tensor& one : value.toTensorVector()) list.push_back(wide(one, is_written(argument)));
            value = list;
        } else if (value.isInt() && is_type(argument) && is_half(value.toScalarType())) {
            value = wide_type(value.toScalarType());
            has_widened = true;
        } else if (argument.name() == "half_to_float") {
            value = false;
        }
    }
    at::Tensor wide(const at::Tensor& tensor, bool written) {
        if (!tensor.defined() || !is_half(tensor.scalar_type())) return tensor;
        has_widened = true;
        auto made = tensor.to(wide_type(tensor.scalar_type()));
        if (written) write_backs.emplace_back(made, tensor);
        return made;
    }

    std::vector<std::pair<at::Tensor, at::Tensor>> write_backs;
    bool has_widened = false;
};

InFloat in_float_of(const c10::OperatorName& op) {
    // GPUs add products of half precision in float32. The CPU does so one by one, up to 60 times slower than in
    // float32.
    static const std::set<std::string_view> products{"mm",       "bmm",   "addmm",  "addmm_", "baddbmm",
                                                     "baddbmm_", "addmv", "addmv_", "addbmm"};
    // A GPU computes a grid's coordinates in float32 as well, but for their gradient in half precision, as the CPU
    // does.
    // It keeps the statistics of normalizations in float32, and sums the gradients of repeated indices in it.
    static const std::set<std::string_view> others{"_addmm_activation",
                                                   "grid_sampler_2d",
                                                   "grid_sampler_3d",
                                                   "native_layer_norm",
                                                   "native_layer_norm_backward",
                                                   "native_batch_norm",
                                                   "native_batch_norm_backward",
                                                   "_native_batch_norm_legit",
                                                   "_batch_norm_with_update",
                                                   "batch_norm_backward",
                                                   "embedding_dense_backward",
                                                   "_embedding_bag_dense_backward"};
    if (is_linear_algebra(op.name)) return InFloat::never;
    std::string_view name = op.name;
    name.remove_prefix(std::min(name.size(), std::string_view("aten::").size()));
    if (products.contains(name)) return InFloat::products;
    if (name == "_index_put_impl_") return InFloat::if_accumulating;
    return others.contains(name) ? InFloat::always : InFloat::where_the_cpu_fails;
}

std::vector<std::size_t> indices_of(const c10::FunctionSchema& schema) {
    // Those of a bag of embeddings are of one type.
    static const std::set<std::string_view> names{"index",      "indices",  "offsets",
                                                  "offset2bag", "bag_size", "maximum_indices"};
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
        const c10::Argument& argument = schema.arguments()[i];
        if (!is_written(argument) && names.contains(argument.name())) found.push_back(i);
    }
    return found;
}

}  // namespace

OnlyKernels::OnlyKernels() : keys(c10::DispatchKeySet(DispatchKey::BackendSelect), everything_above_kernels) {
    if (at::hasCallbacks()) not_recorded.emplace();
}

HostCall::HostCall(const c10::OperatorHandle& op, c10::DispatchKey key)
    : operation(op), drawn(drawn_as_on_gpu(op.operator_name())), equivalent(equivalent_of(op.operator_name(), key)),
      float_form(in_float_of(op.operator_name())), indices(indices_of(op.schema())) {}

bool HostCall::computes_in_float(const torch::jit::Stack& stack) const {
    if (float_form == InFloat::never || float_form == InFloat::where_the_cpu_fails) return false;
    if (float_form == InFloat::if_accumulating && !stack.at(3).toBool()) return false;
    return std::ranges::any_of(stack, [&](const c10::IValue& value) {
        if (!value.isTensor() || !value.toTensor().defined()) return false;
        const auto type = value.toTensor().scalar_type();
        return type == at::kHalf || (type == at::kBFloat16 && float_form != InFloat::products);
    });
}

void HostCall::operator()(torch::jit::Stack& stack, const std::optional<Draw>& draw) const {
    if (computes_in_float(stack)) in_float(stack, draw);
    else call(stack, draw);
}

bool HostCall::in_float(torch::jit::Stack& stack, const std::optional<Draw>& draw) const {
    if (float_form == InFloat::never) return false;
    const OnlyKernels only_kernels;
    const Widened widened(operation, stack);
    if (!widened.any()) return false;
    call(stack, draw);
    widened.bring_back(stack);
    return true;
}

void HostCall::call(torch::jit::Stack& stack, const std::optional<Draw>& draw) const {
    const OnlyKernels only_kernels;
    // Some of the CPU's kernels read indices of 32 bits that are not contiguous as if they were, or refuse them.
    for (const std::size_t i : indices)
        if (stack[i].isTensor() && stack[i].toTensor().defined() && stack[i].toTensor().scalar_type() == at::kInt)
            stack[i] = stack[i].toTensor().to(at::kLong);
    if (draw) {
        const auto numbers = at::make_generator<Numbers>(*draw);
        if (drawn) {
            stack = drawn(stack, numbers);
            return;
        }
        give(operation, stack, numbers);
    }
    if (equivalent) stack = equivalent(stack);
    else operation.callBoxed(stack);
}

bool is_capturing() { return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None; }

}  // namespace tocuda::computing
