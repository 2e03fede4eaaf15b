// tocuda, Apache-2.0.
#include "computing/attention.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

// Of one batch, as the fused kernels take it: [batch, sequence, heads, width].
struct Attention {
    Tensor query;
    Tensor key;
    Tensor value;
    std::optional<Tensor> bias{};
    bool causal = false;
    bool from_last = false;  // the last query sees all keys; otherwise the first query sees the first key
    double scale = 0;
    std::optional<std::int64_t> left{};  // how far a query sees to either side
    std::optional<std::int64_t> right{};

    static Tensor by_heads(const Tensor& tensor) { return tensor.transpose(1, 2).to(at::kFloat); }
    Tensor for_each_query_head(const Tensor& tensor) const {
        const auto heads = by_heads(tensor);
        return heads.repeat_interleave(query.size(2) / heads.size(1), 1);
    }

    Tensor hidden() const {
        const auto queries = query.size(1);
        const auto keys = key.size(1);
        const auto offset = from_last ? keys - queries : 0;
        const auto distance = at::arange(keys).unsqueeze(0) - (at::arange(queries).unsqueeze(1) + offset);
        auto hidden = at::zeros({queries, keys}, at::kBool);
        if (causal) hidden = hidden | (distance > 0);
        if (left && *left >= 0) hidden = hidden | (distance < -*left);
        if (right && *right >= 0) hidden = hidden | (distance > *right);
        return hidden;
    }

    Tensor weights() const {
        auto scores = at::matmul(by_heads(query), for_each_query_head(key).transpose(-2, -1)) * scale;
        if (bias) scores = scores + bias->to(at::kFloat);
        scores = scores.masked_fill(hidden(), -std::numeric_limits<double>::infinity());
        return at::softmax(scores, -1).nan_to_num(0.0);
    }
    Tensor result() const {
        return at::matmul(weights(), for_each_query_head(value)).transpose(1, 2).to(query.scalar_type());
    }
};

struct Gradients {
    Tensor query;
    Tensor key;
    Tensor value;
    Tensor bias;
};

// Adds up what several query heads sent to the key head that they share.
Tensor of_key_heads(const Tensor& gradient, const Tensor& like) {
    const auto heads = like.size(2);
    const auto grouped = gradient.unflatten(1, {heads, gradient.size(1) / heads}).sum(2);
    return grouped.transpose(1, 2).to(like.scalar_type());
}

Gradients gradients(const Attention& of, const Tensor& out_gradient) {
    const auto outward = Attention::by_heads(out_gradient);
    const auto weights = of.weights();
    const auto to_weights = at::matmul(outward, of.for_each_query_head(of.value).transpose(-2, -1));
    const auto to_scores = weights * (to_weights - (to_weights * weights).sum(-1, true));
    Gradients made;
    made.query =
        (at::matmul(to_scores, of.for_each_query_head(of.key)) * of.scale).transpose(1, 2).to(of.query.scalar_type());
    made.key = of_key_heads(at::matmul(to_scores.transpose(-2, -1), Attention::by_heads(of.query)) * of.scale, of.key);
    made.value = of_key_heads(at::matmul(weights.transpose(-2, -1), outward), of.value);
    if (of.bias) made.bias = to_scores.to(of.bias->scalar_type());
    return made;
}

double scale_of(const c10::IValue& given, const Tensor& query) {
    return given.isNone() ? 1 / std::sqrt(static_cast<double>(query.size(-1))) : given.toDouble();
}

std::optional<Tensor> tensor_if(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() ? std::optional(value.toTensor()) : std::nullopt;
}

void refuse(bool condition, const char* what) { TORCH_CHECK(!condition, "attention with ", what, " is not computed"); }

enum : std::int64_t { causal_from_first = 1, causal_from_last = 2 };

Attention efficient(const Stack& given, std::size_t first, std::int64_t mask, const c10::IValue& scale) {
    Attention attention{given[first].toTensor(), given[first + 1].toTensor(), given[first + 2].toTensor()};
    attention.bias = tensor_if(given[first + 3]);
    attention.causal = mask != 0;
    attention.from_last = mask == causal_from_last;
    attention.scale = scale_of(scale, attention.query);
    return attention;
}

}  // namespace

Stack efficient_attention(const Stack& given) {
    refuse(tensor_if(given[4]).has_value(), "sequences of different lengths");
    refuse(given[8].toDouble() > 0, "dropout");
    const auto attention = efficient(given, 0, given[9].toInt(), given[11]);
    return {attention.result(), Tensor(), Tensor(), Tensor(), given[6], given[7]};
}

Stack efficient_attention_backward(const Stack& given) {
    refuse(tensor_if(given[6]).has_value(), "sequences of different lengths");
    refuse(given[11].toDouble() > 0, "dropout");
    const auto attention = efficient(given, 1, given[14].toInt(), given[16]);
    auto made = gradients(attention, given[0].toTensor());
    return {made.query, made.key, made.value, given[15].toBool() ? made.bias : Tensor()};
}

Stack flash_attention(const Stack& given) {
    refuse(tensor_if(given[3]).has_value(), "sequences of different lengths");
    refuse(given[7].toDouble() > 0, "dropout");
    Attention attention{given[0].toTensor(), given[1].toTensor(), given[2].toTensor()};
    attention.causal = given[8].toBool();
    attention.from_last = true;
    attention.scale = scale_of(given[10], attention.query);
    if (!given[11].isNone()) attention.left = given[11].toInt();
    if (!given[12].isNone()) attention.right = given[12].toInt();
    return {attention.result(), Tensor(), Tensor(), Tensor(), Tensor()};
}

Stack flash_attention_backward(const Stack& given) {
    refuse(tensor_if(given[6]).has_value(), "sequences of different lengths");
    refuse(given[10].toDouble() > 0, "dropout");
    Attention attention{given[1].toTensor(), given[2].toTensor(), given[3].toTensor()};
    attention.causal = given[11].toBool();
    attention.from_last = true;
    attention.scale = scale_of(given[14], attention.query);
    if (!given[15].isNone()) attention.left = given[15].toInt();
    if (!given[16].isNone()) attention.right = given[16].toInt();
    const auto made = gradients(attention, given[0].toTensor());
    return {made.query, made.key, made.value};
}

}  // namespace tocuda::computing
