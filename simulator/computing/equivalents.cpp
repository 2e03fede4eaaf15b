// tocuda, Apache-2.0.
#include "computing/equivalents.hpp"

#include <ATen/ATen.h>

#include <string>
#include <unordered_map>

#include "computing/attention.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

Tensor plus(const Tensor& sum, const c10::IValue& more) {
    const auto tensor = tensor_or_none(more);
    return tensor.defined() ? sum + tensor : sum;
}

Stack lstm_cell(const Stack& given) {
    const auto sums = plus(plus(given[0].toTensor() + given[1].toTensor(), given[3]), given[4]);
    const auto gates = sums.chunk(4, 1);
    const auto in = gates[0].sigmoid(), forget = gates[1].sigmoid(), cell = gates[2].tanh(), out = gates[3].sigmoid();
    const auto state = forget * given[2].toTensor() + in * cell;
    return {out * state.tanh(), state, at::cat({in, forget, cell, out}, 1)};
}

Stack lstm_cell_backward(const Stack& given) {
    const auto gates = given[4].toTensor().chunk(4, 1);
    const auto &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
    const auto shown = given[3].toTensor().tanh();
    auto to_output = tensor_or_none(given[0]);
    if (!to_output.defined()) to_output = at::zeros_like(shown);
    const auto to_state = plus(to_output * out * (1 - shown * shown), given[1]);
    const auto to_gates =
        at::cat({to_state * cell * in * (1 - in), to_state * given[2].toTensor() * forget * (1 - forget),
                 to_state * in * (1 - cell * cell), to_output * shown * out * (1 - out)},
                1);
    return {to_gates, to_state * forget, given[5].toBool() ? to_gates.sum(0) : Tensor()};
}

Stack gru_cell(const Stack& given) {
    const auto input = plus(given[0].toTensor(), given[3]).chunk(3, 1);
    const auto hidden = plus(given[1].toTensor(), given[4]).chunk(3, 1);
    const auto reset = (input[0] + hidden[0]).sigmoid(), update = (input[1] + hidden[1]).sigmoid();
    const auto fresh = (input[2] + reset * hidden[2]).tanh();
    const auto before = given[2].toTensor();
    return {fresh + update * (before - fresh), at::cat({reset, update, fresh, before, hidden[2]}, 1)};
}

Stack gru_cell_backward(const Stack& given) {
    const auto outward = given[0].toTensor();
    const auto kept = given[1].toTensor().chunk(5, 1);
    const auto &reset = kept[0], &update = kept[1], &fresh = kept[2], &before = kept[3], &hidden = kept[4];
    const auto to_update = outward * (before - fresh) * (1 - update) * update;
    const auto to_fresh = outward * (1 - update) * (1 - fresh * fresh);
    const auto to_reset = to_fresh * hidden * (1 - reset) * reset;
    const auto to_input = at::cat({to_reset, to_update, to_fresh}, 1);
    const auto to_hidden = at::cat({to_reset, to_update, to_fresh * reset}, 1);
    const bool biased = given[2].toBool();
    return {to_input, to_hidden, outward * update, biased ? to_input.sum(0) : Tensor(),
            biased ? to_hidden.sum(0) : Tensor()};
}

Stack masked_scale(const Stack& given) { return {given[0].toTensor() * given[1].toTensor() * given[2].toDouble()}; }

// What the CPU's kernel keeps for it on the way there, a GPU's does not.
Stack log_sigmoid_backward(const Stack& given) {
    const auto made = given[0].toTensor() * given[1].toTensor().neg().sigmoid();
    return {given.size() > 3 ? given[3].toTensor().copy_(made) : made};
}

// The CPU counts floating-point numbers only.
Stack histogram(const Stack& given) {
    const auto input = given[0].toTensor();
    const auto counts = at::histc(at::isIntegralType(input.scalar_type(), true) ? input.to(at::kDouble) : input,
                                  given[1].toInt(), given[2].toScalar(), given[3].toScalar());
    return {given.size() > 4 ? given[4].toTensor().copy_(counts) : counts};
}

// On a GPU GELU is its approximation by the hyperbolic tangent.
Stack activated(const Stack& given) {
    const auto sum = at::addmm(given[0].toTensor(), given[1].toTensor(), given[2].toTensor(), given[3].toScalar(),
                               given[4].toScalar());
    const auto result = given[5].toBool() ? at::gelu(sum, "tanh") : at::relu(sum);
    return {given.size() > 6 ? given[6].toTensor().copy_(result) : result};
}

// A GPU's kernel lengthens sequences to a multiple of eight.
Stack queries_keys_and_values(const Stack& given) {
    const auto input = given[0].toTensor();
    const auto [query, key, value] = at::_transform_bias_rescale_qkv(input, given[1].toTensor(), given[2].toInt());
    if (!input.is_nested()) return {query, key, value};
    const auto missing = (8 - query.size(2) % 8) % 8;
    const auto padded = [&](const Tensor& tensor) { return at::constant_pad_nd(tensor, {0, 0, 0, missing}); };
    return {padded(query), padded(key), padded(value)};
}

Tensor as(const c10::IValue& tensor, const c10::IValue& type) { return tensor.toTensor().to(type.toScalarType()); }

// Products whose result has another type than the factors.
Stack product(const Stack& given) {
    const auto result = at::matmul(as(given[0], given[2]), as(given[1], given[2]));
    return {given.size() > 3 ? given[3].toTensor().copy_(result) : result};
}

Stack sum_and_product(const Stack& given) {
    const auto result = as(given[0], given[3]) * given[4].toScalar() +
                        at::matmul(as(given[1], given[3]), as(given[2], given[3])) * given[5].toScalar();
    return {given.size() > 6 ? given[6].toTensor().copy_(result) : result};
}

// The CPU multiplies no batches of compressed matrices.
Stack product_of_compressed(const Stack& given) {
    const auto product = at::bmm(given[0].toTensor().to_dense(), given[1].toTensor());
    return {given.size() > 2 ? given[2].toTensor().resize_(product.sizes()).copy_(product) : product};
}

Stack sum_and_product_of_compressed(const Stack& given) {
    const auto sum = at::baddbmm(given[0].toTensor(), given[1].toTensor().to_dense(), given[2].toTensor(),
                                 given[3].toScalar(), given[4].toScalar());
    return {given.size() > 5 ? given[5].toTensor().resize_(sum.sizes()).copy_(sum) : sum};
}

// The operators of cuDNN that a program calls by name.
Stack convolution_of_cudnn(const Stack& given) {
    return {at::convolution(given[0].toTensor(), given[1].toTensor(), {}, given[3].toIntVector(),
                            given[2].toIntVector(), given[4].toIntVector(), false, {0}, given[5].toInt())};
}

Stack transposed_convolution_of_cudnn(const Stack& given) {
    return {at::convolution(given[0].toTensor(), given[1].toTensor(), {}, given[4].toIntVector(),
                            given[2].toIntVector(), given[5].toIntVector(), true, given[3].toIntVector(),
                            given[6].toInt())};
}

Stack convolution_and_relu(const Stack& given) {
    return {at::convolution(given[0].toTensor(), given[1].toTensor(), tensor_if(given[2]), given[3].toIntVector(),
                            given[4].toIntVector(), given[5].toIntVector(), false, {0}, given[6].toInt())
                .relu()};
}

Stack convolution_sum_and_relu(const Stack& given) {
    const auto convolved =
        at::convolution(given[0].toTensor(), given[1].toTensor(), tensor_if(given[4]), given[5].toIntVector(),
                        given[6].toIntVector(), given[7].toIntVector(), false, {0}, given[8].toInt());
    const auto factor = given[3].isNone() ? at::Scalar(1) : given[3].toScalar();
    return {(convolved + given[2].toTensor() * factor).relu()};
}

Stack grid_of_cudnn(const Stack& given) {
    return {at::affine_grid_generator(given[0].toTensor(),
                                      {given[1].toInt(), given[2].toInt(), given[3].toInt(), given[4].toInt()}, true)};
}

const std::unordered_map<std::string, Equivalent>& table() {
    static const auto* const rows = new std::unordered_map<std::string, Equivalent>{
        {"aten::_efficient_attention_forward", efficient_attention},
        {"aten::_efficient_attention_backward", efficient_attention_backward},
        {"aten::_flash_attention_forward", flash_attention},
        {"aten::_flash_attention_backward", flash_attention_backward},
        {"aten::_thnn_fused_lstm_cell", lstm_cell},
        {"aten::_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward},
        {"aten::_thnn_fused_gru_cell", gru_cell},
        {"aten::_thnn_fused_gru_cell_backward", gru_cell_backward},
        {"aten::_slow_conv2d_forward", convolution},
        {"aten::_slow_conv2d_forward.output", convolution},
        {"aten::_slow_conv2d_backward.output_mask", convolution_backward},
        {"aten::slow_conv_dilated2d", dilated_convolution},
        {"aten::slow_conv_dilated3d", dilated_convolution},
        {"aten::_conv_depthwise2d", dilated_convolution},
        {"aten::_conv_depthwise2d.out", dilated_convolution},
        {"aten::conv_depthwise3d", dilated_convolution},
        {"aten::slow_conv_transpose2d", transposed_convolution},
        {"aten::slow_conv_transpose2d.out", transposed_convolution},
        {"aten::slow_conv_transpose3d", transposed_convolution},
        {"aten::slow_conv_transpose3d.out", transposed_convolution},
        {"aten::_addmm_activation", activated},
        {"aten::_addmm_activation.out", activated},
        {"aten::_linalg_svd", singular_values},
        {"aten::_linalg_svd.U", singular_values},
        {"aten::linalg_lu_factor_ex", lu_factors},
        {"aten::linalg_lu_factor_ex.out", lu_factors},
        {"aten::linalg_lu", lu_parts},
        {"aten::linalg_lu.out", lu_parts},
        {"aten::cholesky_inverse", inverse_of_factor},
        {"aten::cholesky_inverse.out", inverse_of_factor},
        {"aten::linalg_lstsq", least_squares},
        {"aten::linalg_lstsq.out", least_squares},
        {"aten::cudnn_convolution", convolution_of_cudnn},
        {"aten::cudnn_convolution_transpose", transposed_convolution_of_cudnn},
        {"aten::cudnn_convolution_relu", convolution_and_relu},
        {"aten::cudnn_convolution_add_relu", convolution_sum_and_relu},
        {"aten::cudnn_affine_grid_generator", grid_of_cudnn},
        {"aten::_masked_scale", masked_scale},
        {"aten::_transform_bias_rescale_qkv", queries_keys_and_values},
        {"aten::log_sigmoid_backward", log_sigmoid_backward},
        {"aten::log_sigmoid_backward.grad_input", log_sigmoid_backward},
        {"aten::histc", histogram},
        {"aten::histc.out", histogram},
        {"aten::_fused_rms_norm_backward", rms_norm_backward},
        {"aten::batch_norm_stats", channel_statistics},
        {"aten::batch_norm_gather_stats", gathered_statistics},
        {"aten::batch_norm_gather_stats_with_counts", gathered_statistics},
        {"aten::batch_norm_elemt", normalized},
        {"aten::batch_norm_elemt.out", normalized},
        {"aten::batch_norm_backward_reduce", reduced_gradients},
        {"aten::batch_norm_backward_elemt", gradient_of_normalized},
        {"aten::mm.dtype", product},
        {"aten::mm.dtype_out", product},
        {"aten::bmm.dtype", product},
        {"aten::bmm.dtype_out", product},
        {"aten::addmm.dtype", sum_and_product},
        {"aten::addmm.dtype_out", sum_and_product},
        {"aten::baddbmm.dtype", sum_and_product},
        {"aten::baddbmm.dtype_out", sum_and_product},
    };
    return *rows;
}

}  // namespace

std::optional<Tensor> tensor_if(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() ? std::optional(value.toTensor()) : std::nullopt;
}

Tensor tensor_or_none(const c10::IValue& value) { return tensor_if(value).value_or(Tensor()); }

Equivalent equivalent_of(const c10::OperatorName& name, c10::DispatchKey key) {
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    if (key == c10::DispatchKey::SparseCsrCUDA) {
        if (full == "aten::bmm" || full == "aten::bmm.out") return product_of_compressed;
        if (full == "aten::baddbmm" || full == "aten::baddbmm.out") return sum_and_product_of_compressed;
    }
    const auto found = table().find(full);
    return found == table().end() ? permissive_equivalent_of(full) : found->second;
}

}  // namespace tocuda::computing
