// tocuda, Apache-2.0.
#include "computing/attention.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "computing/equivalents.hpp"
#include "computing/numbers.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

// Which weights are dropped: one word for each, in the order of the weights.
struct Dropout {
    double probability = 0;
    Philox philox{};
    std::uint64_t first = 0;  // of all weights

    // What each weight of some queries is multiplied by. Not the order of the GPU's kernels, each of which has its own,
    // but as there of many threads: the next draw of one would be the same words from a later one on.
    Tensor factors(at::IntArrayRef sizes, std::int64_t queries_before, std::int64_t all_queries) const {
        Tensor kept = at::empty(sizes, at::kFloat);
        auto* out = kept.data_ptr<float>();
        const auto scale = static_cast<float>(1 / (1 - probability));
        const auto weights = static_cast<std::uint64_t>(sizes[2] * sizes[3]);
        for (std::int64_t head = 0; head < sizes[0] * sizes[1]; ++head) {
            const auto begin = first + static_cast<std::uint64_t>((head * all_queries + queries_before) * sizes[3]);
            for (std::uint64_t i = begin; i < begin + weights; ++i)
                *out++ = Uniform::one(philox.word(i / 4, i % 4)) > probability ? scale : 0;
        }
        return kept;
    }
};

// Of one batch, as the fused kernels take it: [batch, sequence, heads, width]. Or of sequences of different lengths,
// which lie behind each other in a batch of one.
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
    std::optional<Dropout> dropout{};
    std::vector<std::int64_t> query_starts{};  // of each sequence, and where the last ends; empty for a batch
    std::vector<std::int64_t> key_starts{};
    std::int64_t queries_before = 0;  // of a block of queries
    std::int64_t queries_behind = 0;

    static Tensor by_heads(const Tensor& tensor) { return tensor.transpose(1, 2).to(at::kFloat); }
    Tensor for_each_query_head(const Tensor& tensor) const {
        const auto heads = by_heads(tensor);
        return heads.repeat_interleave(query.size(2) / heads.size(1), 1);
    }

    std::int64_t all_queries() const { return queries_before + query.size(1) + queries_behind; }

    Tensor hidden() const {
        const auto queries = query.size(1);
        const auto keys = key.size(1);
        const auto offset = (from_last ? keys - all_queries() : 0) + queries_before;
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
    Tensor with_dropout(const Tensor& weights) const {
        return dropout ? weights * dropout->factors(weights.sizes(), queries_before, all_queries()) : weights;
    }

    // As a GPU's kernels do, so that the weights of all queries are never in memory together.
    template <typename Visit>
    void each_block(Visit&& visit) const {
        constexpr std::int64_t weights_at_once = 1 << 20;
        const auto of_one = std::max<std::int64_t>(query.size(0) * query.size(2) * key.size(1), 1);
        const auto most = std::max<std::int64_t>(weights_at_once / of_one, 1);
        for (std::int64_t i = 0; i < query.size(1); i += most) {
            const auto count = std::min(most, query.size(1) - i);
            Attention block = *this;
            block.query = query.narrow(1, i, count);
            if (bias && bias->size(-2) > 1) block.bias = bias->narrow(-2, i, count);
            block.queries_before = i;
            block.queries_behind = query.size(1) - i - count;
            visit(block, i, count);
        }
    }
    // The bias once where it is the same for all batches or heads.
    std::optional<Tensor> narrow_bias() const {
        auto narrow = bias;
        for (const std::int64_t dim : {0, 1})
            if (narrow && narrow->dim() == 4 && narrow->stride(dim) == 0) narrow = narrow->narrow(dim, 0, 1);
        return narrow ? std::optional(narrow->to(at::kFloat)) : std::nullopt;
    }
    // Whether the CPU has a kernel for it. Of a query that sees no key it would make another result.
    bool has_kernel() const {
        const bool alike = key.size(2) == query.size(2) && value.size(3) == query.size(3);
        if (dropout || left || right || !alike || query.numel() == 0 || key.numel() == 0) return false;
        if (causal && (bias || key.size(1) != query.size(1))) return false;
        constexpr auto nothing = -std::numeric_limits<double>::infinity();
        return !bias || (bias->dim() == 4 && !narrow_bias()->amax(-1).eq(nothing).any().item<bool>());
    }
    // The result, and the logarithm of the sum of each query's weights, which its backward pass needs.
    struct Passed {
        Tensor result;
        Tensor sums;
    };
    Passed by_kernel() const {
        const auto [result, sums] = at::_scaled_dot_product_flash_attention_for_cpu(
            by_heads(query), by_heads(key), by_heads(value), 0, causal, narrow_bias(), scale);
        return {result.transpose(1, 2).to(query.scalar_type()), sums};
    }

    Tensor result_of_batch() const {
        auto made = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
        const auto values = for_each_query_head(value);
        each_block([&](const Attention& block, std::int64_t i, std::int64_t count) {
            const auto result = at::matmul(block.with_dropout(block.weights()), values);
            made.narrow(1, i, count).copy_(result.transpose(1, 2));
        });
        return made;
    }

    std::size_t sequences() const { return query_starts.empty() ? 0 : query_starts.size() - 1; }
    Tensor queries_of(const Tensor& tensor, std::size_t i) const {
        return tensor.narrow(1, query_starts[i], query_starts[i + 1] - query_starts[i]);
    }
    Tensor keys_of(const Tensor& tensor, std::size_t i) const {
        return tensor.narrow(1, key_starts[i], key_starts[i + 1] - key_starts[i]);
    }
    Attention sequence(std::size_t i) const {
        Attention one = *this;
        one.query = queries_of(query, i);
        one.key = keys_of(key, i);
        one.value = keys_of(value, i);
        one.query_starts.clear();
        // More than the sequences before it have.
        if (dropout) one.dropout->first = static_cast<std::uint64_t>(query_starts[i] * key.size(1) * query.size(2));
        return one;
    }
    Passed passed() const { return sequences() == 0 && has_kernel() ? by_kernel() : Passed{result(), Tensor()}; }
    Tensor result() const {
        if (sequences() == 0) return result_of_batch();
        auto made = at::zeros({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
        for (std::size_t i = 0; i < sequences(); ++i) queries_of(made, i).copy_(sequence(i).passed().result);
        return made;
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

Gradients gradients_by_kernel(const Attention& of, const Attention::Passed& forward, const Tensor& out_gradient) {
    const auto heads = Attention::by_heads;
    const auto [query, key, value] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
        heads(out_gradient), heads(of.query), heads(of.key), heads(of.value), heads(forward.result),
        forward.sums.narrow(-1, 0, of.query.size(1)), 0, of.causal, of.narrow_bias(), of.scale);
    const auto as = [&](const Tensor& gradient) { return gradient.transpose(1, 2).to(of.query.scalar_type()); };
    return {as(query), as(key), as(value), {}};
}

Gradients gradients_of_batch(const Attention& of, const Tensor& out_gradient) {
    const auto keys = of.for_each_query_head(of.key), values = of.for_each_query_head(of.value);
    auto to_keys = at::zeros_like(keys), to_values = at::zeros_like(values);
    std::vector<Tensor> to_bias;
    Gradients made;
    made.query = at::empty_like(of.query);
    of.each_block([&](const Attention& block, std::int64_t i, std::int64_t count) {
        const auto outward = Attention::by_heads(out_gradient.narrow(1, i, count));
        const auto weights = block.weights();
        const auto to_weights = block.with_dropout(at::matmul(outward, values.transpose(-2, -1)));
        const auto to_scores = weights * (to_weights - (to_weights * weights).sum(-1, true));
        made.query.narrow(1, i, count).copy_((at::matmul(to_scores, keys) * of.scale).transpose(1, 2));
        to_keys += at::matmul(to_scores.transpose(-2, -1), Attention::by_heads(block.query));
        to_values += at::matmul(block.with_dropout(weights).transpose(-2, -1), outward);
        if (of.bias) to_bias.push_back(to_scores.to(of.bias->scalar_type()));
    });
    made.key = of_key_heads(to_keys * of.scale, of.key);
    made.value = of_key_heads(to_values, of.value);
    if (of.bias) made.bias = to_bias.empty() ? at::zeros_like(*of.bias) : at::cat(to_bias, -2);
    return made;
}

Gradients gradients(const Attention& of, const Attention::Passed& forward, const Tensor& out_gradient, bool of_bias) {
    const bool is_batch = of.sequences() == 0;
    if (is_batch && !(of.bias && of_bias) && of.has_kernel()) return gradients_by_kernel(of, forward, out_gradient);
    if (is_batch) return gradients_of_batch(of, out_gradient);
    Gradients made{at::zeros_like(of.query), at::zeros_like(of.key), at::zeros_like(of.value), {}};
    for (std::size_t i = 0; i < of.sequences(); ++i) {
        const auto one = gradients_of_batch(of.sequence(i), of.queries_of(out_gradient, i));
        of.queries_of(made.query, i).copy_(one.query);
        of.keys_of(made.key, i).copy_(one.key);
        of.keys_of(made.value, i).copy_(one.value);
    }
    return made;
}

double scale_of(const c10::IValue& given, const Tensor& query) {
    return given.isNone() ? 1 / std::sqrt(static_cast<double>(query.size(-1))) : given.toDouble();
}

void refuse(bool condition, const char* what) { TORCH_CHECK(!condition, "attention with ", what, " is not computed"); }

std::vector<std::int64_t> whole_numbers(const Tensor& tensor) {
    const auto wide = tensor.to(at::kLong).contiguous();
    return {wide.const_data_ptr<std::int64_t>(), wide.const_data_ptr<std::int64_t>() + wide.numel()};
}

void set_sequences(Attention& attention, const c10::IValue& query_starts, const c10::IValue& key_starts) {
    if (!tensor_if(query_starts)) return;
    refuse(attention.bias.has_value(), "a bias and sequences of different lengths");
    attention.query_starts = whole_numbers(query_starts.toTensor());
    attention.key_starts = whole_numbers(key_starts.toTensor());
}

enum : std::int64_t { causal_from_first = 1, causal_from_last = 2 };

Attention efficient(const Stack& given, std::size_t first, std::int64_t mask, const c10::IValue& scale) {
    Attention attention{given[first].toTensor(), given[first + 1].toTensor(), given[first + 2].toTensor()};
    attention.bias = tensor_if(given[first + 3]);
    attention.causal = mask != 0;
    attention.from_last = mask == causal_from_last;
    attention.scale = scale_of(scale, attention.query);
    return attention;
}

Attention efficient_forward(const Stack& given) {
    refuse(tensor_if(given[12]).has_value(), "lengths of its keys");
    auto attention = efficient(given, 0, given[9].toInt(), given[11]);
    set_sequences(attention, given[4], given[5]);
    return attention;
}

// Sequences of different lengths have no batch here.
Tensor batch_of(const c10::IValue& value) {
    const auto tensor = value.toTensor();
    return tensor.dim() == 3 ? tensor.unsqueeze(0) : tensor;
}

Attention flash(const Stack& given, std::size_t first, bool causal, const c10::IValue& scale) {
    Attention attention{batch_of(given[first]), batch_of(given[first + 1]), batch_of(given[first + 2])};
    attention.causal = causal;
    attention.from_last = true;
    attention.scale = scale_of(scale, attention.query);
    return attention;
}

Attention flash_forward(const Stack& given) {
    refuse(tensor_if(given[13]).has_value(), "lengths of its keys");
    refuse(tensor_if(given[14]).has_value(), "slopes of its bias");
    refuse(given.size() > 15 && tensor_if(given[15]).has_value(), "keys in blocks");
    auto attention = flash(given, 0, given[8].toBool(), given[10]);
    set_sequences(attention, given[3], given[4]);
    if (!given[11].isNone()) attention.left = given[11].toInt();
    if (!given[12].isNone()) attention.right = given[12].toInt();
    return attention;
}

Tensor whole(std::uint64_t word) { return at::scalar_tensor(static_cast<std::int64_t>(word), at::kLong); }

std::uint64_t word_of(const Tensor& tensor) { return static_cast<std::uint64_t>(tensor.to(at::kLong).item().toLong()); }

}  // namespace

// The sums have room for whole groups of 32 queries.
Stack efficient_attention(const Stack& given) {
    const auto attention = efficient_forward(given);
    auto made = attention.passed();
    const auto behind = made.sums.defined() ? -made.sums.size(-1) & 31 : 0;
    if (behind > 0) made.sums = at::constant_pad_nd(made.sums, {0, behind});
    return {made.result, made.sums, Tensor(), Tensor(), given[6], given[7]};
}

Stack efficient_attention_with_dropout(const Stack& given, const at::Generator& numbers) {
    auto attention = efficient_forward(given);
    const Philox philox = at::check_generator<Numbers>(numbers)->take(0);
    attention.dropout = Dropout{given[8].toDouble(), philox};
    return {attention.result(), Tensor(), whole(philox.seed), whole(philox.offset), given[6], given[7]};
}

Stack efficient_attention_backward(const Stack& given) {
    auto attention = efficient(given, 1, given[14].toInt(), given[16]);
    set_sequences(attention, given[6], given[7]);
    if (given[11].toDouble() > 0) {
        const Philox philox{word_of(given[12].toTensor()), word_of(given[13].toTensor())};
        attention.dropout = Dropout{given[11].toDouble(), philox};
    }
    const bool of_bias = given[15].toBool();
    const auto made = gradients(attention, {given[5].toTensor(), given[10].toTensor()}, given[0].toTensor(), of_bias);
    return {made.query, made.key, made.value, of_bias ? made.bias : Tensor()};
}

Stack flash_attention(const Stack& given) {
    const auto made = flash_forward(given).passed();
    return {made.result, made.sums, Tensor(), Tensor(), Tensor()};
}

Stack flash_attention_with_dropout(const Stack& given, const at::Generator& numbers) {
    auto attention = flash_forward(given);
    const Philox philox = at::check_generator<Numbers>(numbers)->take(0);
    attention.dropout = Dropout{given[7].toDouble(), philox};
    return {attention.result(), Tensor(), at::stack({whole(philox.seed), whole(philox.offset)}), Tensor(), Tensor()};
}

Stack flash_attention_backward(const Stack& given) {
    auto attention = flash(given, 1, given[11].toBool(), given[14]);
    set_sequences(attention, given[6], given[7]);
    if (given[10].toDouble() > 0) {
        const auto state = given[12].toTensor();
        attention.dropout = Dropout{given[10].toDouble(), {word_of(state[0]), word_of(state[1])}};
    }
    if (!given[15].isNone()) attention.left = given[15].toInt();
    if (!given[16].isNone()) attention.right = given[16].toInt();
    const auto made = gradients(attention, {batch_of(given[4]), given[5].toTensor()}, batch_of(given[0]), false);
    return {made.query, made.key, made.value};
}

}  // namespace tocuda::computing
