// tocuda, Apache-2.0.
#include <ATen/ATen.h>

#include <vector>

#include "computing/equivalents.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

// Sums and means of half precision are taken in float.
Tensor wide(const Tensor& tensor) { return tensor.scalar_type() == at::kDouble ? tensor : tensor.to(at::kFloat); }

std::vector<std::int64_t> all_but_channels(const Tensor& tensor) {
    std::vector<std::int64_t> dims{0};
    for (std::int64_t i = 2; i < tensor.dim(); ++i) dims.push_back(i);
    return dims;
}

// One number for each channel, to be combined with a tensor.
Tensor along(const Tensor& of_channels, const Tensor& tensor) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(tensor.dim()), 1);
    sizes[1] = tensor.size(1);
    return of_channels.view(sizes);
}

// Follows the mean of all batches, as training does.
void follow(const Tensor& running, const Tensor& now, double momentum) {
    if (running.defined()) running.mul_(1 - momentum).add_(now.to(running.scalar_type()), momentum);
}

}  // namespace

Stack channel_statistics(const Stack& given) {
    const auto input = wide(given[0].toTensor());
    const auto dims = all_but_channels(input);
    return {input.mean(dims), (input.var(dims, false) + given[1].toDouble()).rsqrt()};
}

Stack gathered_statistics(const Stack& given) {
    const auto means = wide(given[1].toTensor()), deviations = wide(given[2].toTensor());
    const double momentum = given[5].toDouble(), epsilon = given[6].toDouble();
    const auto counts = given[7].isTensor() ? given[7].toTensor().to(means.scalar_type()).view({-1, 1})
                                            : at::full({means.size(0), 1}, given[7].toInt(), means.options());
    const auto count = counts.sum();
    const auto mean = (means * counts).sum(0) / count;
    const auto squares = (counts * (deviations.pow(-2) - epsilon + (means - mean).square())).sum(0);
    follow(tensor_or_none(given[3]), mean, momentum);
    follow(tensor_or_none(given[4]), squares / (count - 1), momentum);
    return {mean, (squares / count + epsilon).rsqrt()};
}

Stack normalized(const Stack& given) {
    const auto input = given[0].toTensor();
    const auto weight = tensor_or_none(given[1]), bias = tensor_or_none(given[2]);
    auto made = (wide(input) - along(given[3].toTensor(), input)) * along(given[4].toTensor(), input);
    if (weight.defined()) made = made * along(weight, input);
    if (bias.defined()) made = made + along(bias, input);
    return {given.size() > 6 ? given[6].toTensor().copy_(made) : made.to(input.scalar_type())};
}

Stack reduced_gradients(const Stack& given) {
    const auto outward = wide(given[0].toTensor()), input = wide(given[1].toTensor());
    const auto weight = tensor_or_none(given[4]);
    const auto dims = all_but_channels(input);
    const auto sum = outward.sum(dims);
    const auto product = (outward * (input - along(given[2].toTensor(), input))).sum(dims);
    const auto type = weight.defined() ? weight.scalar_type() : sum.scalar_type();
    return {sum, product, (product * given[3].toTensor()).to(type), sum.to(type)};
}

Stack gradient_of_normalized(const Stack& given) {
    const auto outward = given[0].toTensor(), input = given[1].toTensor(), weight = tensor_or_none(given[4]);
    const auto deviation = given[3].toTensor();
    const auto count = given[7].toTensor().sum();
    const auto shift = along(given[5].toTensor() / count, input);
    const auto slope = along(given[6].toTensor() / count * deviation * deviation, input);
    auto made =
        (wide(outward) - shift - (wide(input) - along(given[2].toTensor(), input)) * slope) * along(deviation, input);
    if (weight.defined()) made = made * along(weight, input);
    return {made.to(input.scalar_type())};
}

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

}  // namespace tocuda::computing
