// tocuda, Apache-2.0.
#include <ATen/ATen.h>

#include <vector>

#include "computing/equivalents.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;
using Sizes = std::vector<std::int64_t>;

struct Shape {
    Sizes stride;
    Sizes padding;
    Sizes dilation;
    Sizes output_padding{};
    bool transposed = false;
};

// The operators begin alike: input, weight, size of the kernel, bias. One argument may follow the `last`: `out`.
Stack convolve(const Stack& given, const Shape& shape, std::size_t last) {
    const Tensor input = given[0].toTensor(), weight = given[1].toTensor();
    const auto bias = tensor_if(given[3]);
    const auto groups = shape.transposed ? 1 : input.size(1) / weight.size(1);
    const Sizes none(shape.stride.size(), 0);
    const auto result = at::convolution(input, weight, bias, shape.stride, shape.padding, shape.dilation,
                                        shape.transposed, shape.transposed ? shape.output_padding : none, groups);
    return {given.size() > last + 1 ? given[last + 1].toTensor().copy_(result) : result};
}

}  // namespace

Stack convolution(const Stack& given) {
    return convolve(given, {given[4].toIntVector(), given[5].toIntVector(), Sizes{1, 1}}, 5);
}

Stack convolution_backward(const Stack& given) {
    const Tensor outward = given[0].toTensor(), input = given[1].toTensor(), weight = given[2].toTensor();
    const auto mask = given[6].toBoolList();
    const Sizes channels{weight.size(0)}, ones{1, 1}, none{0, 0};
    auto [to_input, to_weight, to_bias] =
        at::convolution_backward(outward, input, weight, channels, given[4].toIntVector(), given[5].toIntVector(), ones,
                                 false, none, 1, {mask[0], mask[1], mask[2]});
    return {to_input, to_weight, to_bias};
}

Stack dilated_convolution(const Stack& given) {
    return convolve(given, {given[4].toIntVector(), given[5].toIntVector(), given[6].toIntVector()}, 6);
}

Stack transposed_convolution(const Stack& given) {
    return convolve(
        given, {given[4].toIntVector(), given[5].toIntVector(), given[7].toIntVector(), given[6].toIntVector(), true},
        7);
}

}  // namespace tocuda::computing
