// tocuda, Apache-2.0.
#include <ATen/ATen.h>
#include <torch/version.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "computing/equivalents.hpp"
#include "computing/on_host.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

// What a GPU's kernel asserts of bags: none ends before it begins, and no index is too large. Negative ones it reads.
void require_bags(const Tensor& begins, const Tensor& indices, std::int64_t rows) {
    const auto ends = at::cat({begins.narrow(0, 1, begins.numel() - 1), at::full({1}, indices.numel(), at::kLong)});
    TORCH_CHECK_INDEX(begins.le(ends).all().item<bool>(), "a bag ends before it begins");
    if (indices.numel() == 0) return;
    const auto largest = indices.max().item<std::int64_t>();
    TORCH_CHECK_INDEX(largest < rows, "index ", largest, " is out of bounds for ", rows, " rows");
}

// On a GPU the first bag begins at 0, whatever its offset is, and the last one ends with the indices, even if there is
// an offset for its end. Its kernel always says which bag an index is in and how many a bag has, where the CPU's leaves
// out what its own backward pass does not need: of as many bags as there are offsets, the last of which may be none.
Stack embedding_bag(const Stack& given) {
    const auto weight = given[0].toTensor(), indices = given[1].toTensor(), offsets = given[2].toTensor();
    const std::int64_t padding = given[8].toInt(), bags = offsets.numel() - (given[7].toBool() ? 1 : 0);
    const auto begins = offsets.narrow(0, 0, bags).to(at::kLong, /*non_blocking=*/false, /*copy=*/true);
    begins.narrow(0, 0, std::min<std::int64_t>(bags, 1)).zero_();
    if (bags > 0 && weight.size(1) > 0) require_bags(begins, indices, weight.size(0));
    const auto computed = at::_embedding_bag(weight, indices, begins, given[3].toBool(), given[4].toInt(),
                                             given[5].toBool(), tensor_if(given[6]), false, padding);
    const auto bag = at::searchsorted(begins, at::arange(indices.numel(), begins.options()),
                                      /*out_int32=*/false, /*right=*/true) -
                     1;
    const auto counted = indices.ne(padding).to(at::kLong);
    const auto sizes = at::zeros({offsets.numel()}, bag.options()).scatter_add_(0, bag, counted);
    return {std::get<0>(computed), bag, sizes, std::get<3>(computed)};
}

// A GPU reads the classes of a sample up to the first negative one, the CPU up to the first -1, and checks the others.
Tensor read_classes(const c10::IValue& given) {
    const auto classes = given.toTensor();
    return classes.masked_fill(classes.lt(0).cumsum(-1).gt(0), -1);
}

Stack margin_loss(const Stack& given) {
    const auto input = given[0].toTensor(), classes = read_classes(given[1]);
    const auto reduction = given[2].toInt();
    if (given.size() == 3) {
        auto [loss, is_class] = at::multilabel_margin_loss_forward(input, classes, reduction);
        return {loss, is_class};
    }
    Tensor loss = given[3].toTensor(), is_class = given[4].toTensor();
    at::multilabel_margin_loss_forward_out(loss, is_class, input, classes, reduction);
    return {loss, is_class};
}

Stack margin_loss_backward(const Stack& given) {
    const auto gradient = at::multilabel_margin_loss_backward(
        given[0].toTensor(), given[1].toTensor(), read_classes(given[2]), given[3].toInt(), given[4].toTensor());
    return {given.size() > 5 ? given[5].toTensor().copy_(gradient) : gradient};
}

// Neither a GPU nor the CPU checks labels, and what either reads for one that is no class is not known.
void require_labels(const Tensor& labels, const Tensor& lengths, std::int64_t classes) {
    const auto read = labels.dim() == 1
                          ? labels.narrow(0, 0, std::min(labels.size(0), lengths.sum().item<std::int64_t>()))
                          : labels.masked_select(at::arange(labels.size(1)).lt(lengths.unsqueeze(1)));
    TORCH_CHECK(read.ge(0).logical_and_(read.lt(classes)).all().item<bool>(), "a label of ctc_loss is not one of the ",
                classes, " classes");
}

Stack ctc_loss(const Stack& given) {
    const auto scores = given[0].toTensor(), labels = given[1].toTensor();
    const auto blank = given[4].toInt();
    const bool no_infinity = given[5].toBool();
    const bool by_tensors = given[3].isTensor();
    const auto lengths = by_tensors ? given[3].toTensor().to(at::kLong) : at::tensor(given[3].toIntVector(), at::kLong);
    require_labels(labels, lengths, scores.size(2));
    const auto both =
        by_tensors ? at::_ctc_loss(scores, labels, given[2].toTensor(), lengths, blank, no_infinity)
                   : at::_ctc_loss(scores, labels, given[2].toIntVector(), given[3].toIntVector(), blank, no_infinity);
    return {std::get<0>(both), std::get<1>(both)};
}

// What a GPU gives for an integer modulo zero is known from PyTorch's own tests, which run on GPUs of NVIDIA: all bits
// are set, but of int64 only the lower 32 if the dividend is not negative. They have no dividends beyond 32 bits.
Tensor modulo_zero(const Tensor& dividend) {
    const auto all_set = at::zeros_like(dividend).bitwise_not_();
    if (dividend.scalar_type() != at::kLong) return all_set;
    TORCH_CHECK(dividend.eq(dividend.to(at::kInt)).all().item<bool>(),
                "what a GPU gives for an integer of more than 32 bits modulo zero is not known");
    return at::where(dividend.lt(0), all_set, std::int64_t{0xffffffff});
}

struct Remainder {
    static Tensor of(const Tensor& a, const Tensor& b) { return at::remainder(a, b); }
    static void into(Tensor& out, const Tensor& a, const Tensor& b) { at::remainder_out(out, a, b); }
    static Tensor by_zero(const Tensor& dividend) { return modulo_zero(dividend); }
};

struct Fmod {
    static Tensor of(const Tensor& a, const Tensor& b) { return at::fmod(a, b); }
    static void into(Tensor& out, const Tensor& a, const Tensor& b) { at::fmod_out(out, a, b); }
    static Tensor by_zero(const Tensor& dividend) { return modulo_zero(dividend); }
};

struct FloorDivision {
    static Tensor of(const Tensor& a, const Tensor& b) { return at::div(a, b, "floor"); }
    static void into(Tensor& out, const Tensor& a, const Tensor& b) { at::div_out(out, a, b, "floor"); }
    // LibTorch's kernel of 2.15 (c10::div_floor_integer) makes it 0. Those of before, and the one for unsigned bytes,
    // leave it to the hardware.
    static Tensor by_zero(const Tensor& dividend) {
        constexpr bool is_zero = TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 15;
        TORCH_CHECK(is_zero && dividend.scalar_type() != at::kByte,
                    "what a GPU gives for an integer divided by zero is not known");
        return at::zeros_like(dividend);
    }
};

// Whether the CPU would refuse a divisor.
bool divides_by_zero(const Tensor& a, const Tensor& b) {
    return at::isIntegralType(at::result_type(a, b), false) && b.eq(0).any().item<bool>();
}

template <typename Operation>
Tensor divided(const Tensor& a, const Tensor& b) {
    const auto type = at::result_type(a, b);
    const auto is_zero = b.eq(0);
    const auto dividend = a.to(type), of_others = Operation::of(dividend, b.to(type).masked_fill(is_zero, 1));
    const auto here = is_zero.expand_as(of_others);
    const auto divided_by_zero = dividend.expand_as(of_others).masked_fill(here.logical_not(), 0);
    return at::where(here, Operation::by_zero(divided_by_zero), of_others);
}

template <typename Operation>
Stack fresh(const Stack& given) {
    const auto a = given[0].toTensor(), b = given[1].toTensor();
    return {divides_by_zero(a, b) ? divided<Operation>(a, b) : Operation::of(a, b)};
}

template <typename Operation, std::size_t target>
Stack written(const Stack& given) {
    const auto a = given[0].toTensor(), b = given[1].toTensor();
    Tensor out = given[target].toTensor();
    if (!divides_by_zero(a, b)) {
        Operation::into(out, a, b);
    } else {
        const auto result = divided<Operation>(a, b);
        if (target > 0) out.resize_(result.sizes());
        out.copy_(result);
    }
    return {out};
}

// Of a number, or of a tensor of the CPU with one number, a GPU takes the reciprocal, and truncates the product with
// it.
Tensor truncated(const Tensor& a, const Tensor& b) {
    const auto type = at::result_type(a, b);
    const bool is_number = b.dim() == 0 && (b.unsafeGetTensorImpl()->is_wrapped_number() || is_of_cpu(b));
    if (!at::isFloatingType(type) || !is_number) return at::div(a, b, "trunc");
    const auto wide = type == at::kDouble ? at::kDouble : at::kFloat;
    return (a.to(type).to(wide) * b.to(wide).reciprocal()).trunc_().to(type);
}

template <std::size_t target>
Stack rounded_quotient(const Stack& given) {
    const auto mode = given[2].toOptional<std::string_view>();
    if (mode == "floor") return target == 3 ? written<FloorDivision, 3>(given) : written<FloorDivision, 0>(given);
    const auto a = given[0].toTensor(), b = given[1].toTensor();
    Tensor out = given[target].toTensor();
    if (mode == "trunc") return {out.copy_(truncated(a, b))};
    at::div_out(out, a, b, mode);
    return {out};
}

Stack fresh_quotient(const Stack& given) {
    const auto mode = given[2].toOptional<std::string_view>();
    if (mode == "floor") return fresh<FloorDivision>(given);
    if (mode == "trunc") return {truncated(given[0].toTensor(), given[1].toTensor())};
    return {at::div(given[0].toTensor(), given[1].toTensor(), mode)};
}

}  // namespace

Equivalent permissive_equivalent_of(const std::string& name) {
    static const auto* const rows = new std::unordered_map<std::string, Equivalent>{
        {"aten::_embedding_bag", embedding_bag},
        {"aten::_embedding_bag_forward_only", embedding_bag},
        {"aten::_ctc_loss", ctc_loss},
        {"aten::_ctc_loss.Tensor", ctc_loss},
        {"aten::multilabel_margin_loss_forward", margin_loss},
        {"aten::multilabel_margin_loss_forward.output", margin_loss},
        {"aten::multilabel_margin_loss_backward", margin_loss_backward},
        {"aten::multilabel_margin_loss_backward.grad_input", margin_loss_backward},
        {"aten::remainder.Tensor", fresh<Remainder>},
        {"aten::remainder_.Tensor", written<Remainder, 0>},
        {"aten::remainder.Tensor_out", written<Remainder, 2>},
        {"aten::fmod.Tensor", fresh<Fmod>},
        {"aten::fmod_.Tensor", written<Fmod, 0>},
        {"aten::fmod.Tensor_out", written<Fmod, 2>},
        {"aten::floor_divide", fresh<FloorDivision>},
        {"aten::floor_divide_.Tensor", written<FloorDivision, 0>},
        {"aten::floor_divide.out", written<FloorDivision, 2>},
        {"aten::div.Tensor_mode", fresh_quotient},
        {"aten::div_.Tensor_mode", rounded_quotient<0>},
        {"aten::div.out_mode", rounded_quotient<3>},
    };
    const auto found = rows->find(name);
    return found == rows->end() ? nullptr : found->second;
}

}  // namespace tocuda::computing
