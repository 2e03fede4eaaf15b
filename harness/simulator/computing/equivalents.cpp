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

Tensor tensor_or_none(const c10::IValue& value) { return value.isTensor() ? value.toTensor() : Tensor(); }

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

Stack depthwise_convolution(const Stack& given) {
    const auto input = given[0].toTensor();
    const auto bias = tensor_or_none(given[3]);
    const auto result = at::convolution(input, given[1].toTensor(), bias.defined() ? std::optional(bias) : std::nullopt,
                                        given[4].toIntVector(), given[5].toIntVector(), given[6].toIntVector(), false,
                                        std::vector<std::int64_t>(given[4].toIntVector().size(), 0), input.size(1));
    return {given.size() > 7 ? given[7].toTensor().copy_(result) : result};
}

Stack masked_scale(const Stack& given) { return {given[0].toTensor() * given[1].toTensor() * given[2].toDouble()}; }

Stack rms_norm_backward(const Stack& given) {
    const auto outward = given[0].toTensor(), input = given[1].toTensor(), weight = tensor_or_none(given[4]);
    const auto normalized = input * given[3].toTensor();
    const auto scaled = weight.defined() ? outward * weight : outward;
    const auto dims = static_cast<std::int64_t>(given[2].toIntVector().size());
    std::vector<std::int64_t> inner, outer;
    for (std::int64_t i = 0; i < input.dim(); ++i) (i < input.dim() - dims ? outer : inner).push_back(i);
    const auto to_input = given[3].toTensor() * (scaled - normalized * (scaled * normalized).mean(inner, true));
    const auto to_weight = outer.empty() ? outward * normalized : (outward * normalized).sum(outer);
    return {to_input.to(input.scalar_type()), weight.defined() ? to_weight.to(weight.scalar_type()) : Tensor()};
}

Tensor as(const c10::IValue& tensor, const c10::IValue& type) { return tensor.toTensor().to(type.toScalarType()); }

// Products whose result has another type than the factors.
Stack product(const Stack& given) { return {at::matmul(as(given[0], given[2]), as(given[1], given[2]))}; }

Stack sum_and_product(const Stack& given) {
    return {as(given[0], given[3]) * given[4].toScalar() +
            at::matmul(as(given[1], given[3]), as(given[2], given[3])) * given[5].toScalar()};
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
        {"aten::_conv_depthwise2d", depthwise_convolution},
        {"aten::_conv_depthwise2d.out", depthwise_convolution},
        {"aten::conv_depthwise3d", depthwise_convolution},
        {"aten::_masked_scale", masked_scale},
        {"aten::_fused_rms_norm_backward", rms_norm_backward},
        {"aten::mm.dtype", product},
        {"aten::bmm.dtype", product},
        {"aten::addmm.dtype", sum_and_product},
        {"aten::baddbmm.dtype", sum_and_product},
    };
    return *rows;
}

}  // namespace

Equivalent equivalent_of(const c10::OperatorName& name) {
    const auto found = table().find(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
    return found == table().end() ? nullptr : found->second;
}

}  // namespace tocuda::computing
