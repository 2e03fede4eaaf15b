// tocuda, Apache-2.0.
#include "libtorch/specimens.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace tocuda {
namespace {

at::Tensor dense(at::ScalarType type) { return patterned(type, {4, 6}); }

at::Tensor viewed(at::ScalarType type, const std::function<at::Tensor(const at::Tensor&)>& view) {
    if (is_packed(type)) throw std::invalid_argument("a packed dtype has no strided view");
    return view(dense(type));
}

at::Tensor compressed(at::ScalarType type, at::Layout layout) {
    const bool blocked = layout == at::kSparseBsr || layout == at::kSparseBsc;
    const auto outer = at::tensor({0, 2, 3}, at::kLong);
    const auto inner = at::tensor({0, 1, 1}, at::kLong);
    const std::vector<std::int64_t> values =
        blocked ? std::vector<std::int64_t>{3, 2, 2} : std::vector<std::int64_t>{3};
    const std::vector<std::int64_t> sizes = blocked ? std::vector<std::int64_t>{4, 4} : std::vector<std::int64_t>{2, 2};
    return at::_sparse_compressed_tensor_unsafe(outer, inner, patterned(type, values), sizes,
                                                at::dtype(type).layout(layout));
}

at::Tensor coordinates(at::ScalarType type) {
    const auto indices = at::tensor({0, 1, 3, 2, 0, 5}, at::kLong).reshape({2, 3});
    return at::_sparse_coo_tensor_unsafe(indices, patterned(type, {3}), {4, 6}, at::dtype(type));
}

at::Tensor nested(at::ScalarType type) {
    return at::_nested_tensor_from_tensor_list({patterned(type, {2, 3}), patterned(type, {4, 3})});
}

at::Tensor jagged(at::ScalarType type) {
    return at::_nested_view_from_jagged(patterned(type, {6, 3}), at::tensor({0, 2, 6}, at::kLong), at::empty({0}));
}

at::Tensor per_channel(at::ScalarType type) {
    if (!at::isQIntType(type) || is_packed(type)) throw std::invalid_argument("not a quantized dtype of whole bytes");
    auto tensor = at::_empty_per_channel_affine_quantized({4, 6}, at::arange(1, 5, at::kDouble),
                                                          at::arange(4, at::kLong), 0, at::dtype(type));
    std::fill_n(static_cast<unsigned char*>(tensor.mutable_data_ptr()), tensor.storage().nbytes(), std::uint8_t{0x5a});
    return tensor;
}

// Only types whose kernels LibTorch's library holds; others are compiled at run time, for a GPU that must exist.
at::Tensor negated(at::ScalarType type) {
    if (type != at::kFloat && type != at::kDouble && type != at::kInt && type != at::kLong)
        throw std::invalid_argument("not negated");
    return dense(type)._neg_view();
}

at::Tensor conjugated(at::ScalarType type) {
    if (type != at::kComplexFloat && type != at::kComplexDouble) throw std::invalid_argument("not conjugated");
    return dense(type).conj();
}

std::vector<at::Tensor> parts_of(const at::Tensor& tensor) {
    if (tensor.is_nested()) return tensor.unbind();
    switch (tensor.layout()) {
        case at::kSparse:
            return {tensor._indices(), tensor._values()};
        case at::kSparseCsr:
        case at::kSparseBsr:
            return {tensor.crow_indices(), tensor.col_indices(), tensor.values()};
        case at::kSparseCsc:
        case at::kSparseBsc:
            return {tensor.ccol_indices(), tensor.row_indices(), tensor.values()};
        default:
            return {tensor};
    }
}

std::string bytes_of_strided(const at::Tensor& tensor) {
    const auto* first = static_cast<const char*>(tensor.const_data_ptr());
    if (tensor.numel() == 0) return {};
    if (tensor.is_contiguous()) return {first, tensor.nbytes()};
    std::string bytes;
    for (std::int64_t element = 0; element < tensor.numel(); ++element) {
        std::int64_t offset = 0;
        auto rest = element;
        for (auto dimension = tensor.dim() - 1; dimension >= 0; --dimension) {
            offset += rest % tensor.size(dimension) * tensor.stride(dimension);
            rest /= tensor.size(dimension);
        }
        bytes.append(first + offset * static_cast<std::int64_t>(tensor.itemsize()), tensor.itemsize());
    }
    return bytes;
}

}  // namespace

bool is_packed(at::ScalarType type) { return type == at::kQUInt4x2 || type == at::kQUInt2x4; }

std::vector<at::ScalarType> every_scalar_type() {
    std::vector<at::ScalarType> types;
    for (int number = 0; number < static_cast<int>(at::ScalarType::NumOptions); ++number)
        if (const auto type = static_cast<at::ScalarType>(number); type != at::ScalarType::Undefined)
            types.push_back(type);
    return types;
}

at::Tensor patterned(at::ScalarType type, at::IntArrayRef wanted) {
    auto sizes = wanted.vec();
    const bool roomier = is_packed(type) && !sizes.empty();
    if (roomier) sizes[0] *= 4;
    constexpr double scale = 0.5;
    constexpr std::int64_t zero_point = 3;
    auto tensor = at::isQIntType(type) ? at::_empty_affine_quantized(sizes, at::dtype(type), scale, zero_point)
                                       : at::empty(sizes, at::dtype(type));
    auto* bytes = static_cast<unsigned char*>(tensor.mutable_data_ptr());
    for (std::size_t i = 0; i < tensor.storage().nbytes(); ++i)
        bytes[i] = static_cast<unsigned char>(type == at::kBool ? i % 2 : 7 * i + 3);
    return roomier ? tensor.narrow(0, 0, wanted[0]) : tensor;
}

std::vector<Specimen> every_layout() {
    const auto view = [](auto change) { return [change](at::ScalarType type) { return viewed(type, change); }; };
    return {
        {"contiguous", dense, true},
        {"transposed", view([](const at::Tensor& t) { return t.t(); }), true},
        {"sliced", view([](const at::Tensor& t) { return t.slice(0, 0, 4, 2).slice(1, 1, 6, 2); }), true},
        {"offset", view([](const at::Tensor& t) { return t.narrow(0, 1, 2); }), true},
        {"expanded", view([](const at::Tensor& t) { return t.narrow(0, 1, 1).expand({5, 6}); }), true},
        {"overlapping", view([](const at::Tensor& t) { return t.as_strided({4, 3}, {2, 1}); }), true},
        {"channels_last", view([](const at::Tensor& t) { return t.as_strided({2, 3, 2, 2}, {12, 1, 6, 3}); }), true},
        {"zero_size", [](at::ScalarType type) { return patterned(type, {0, 3}); }, true},
        {"zero_dim", [](at::ScalarType type) { return patterned(type, {}); }, true},
        {"quantized_per_channel", per_channel},
        {"coo", coordinates},
        {"csr", [](at::ScalarType type) { return compressed(type, at::kSparseCsr); }},
        {"csc", [](at::ScalarType type) { return compressed(type, at::kSparseCsc); }},
        {"bsr", [](at::ScalarType type) { return compressed(type, at::kSparseBsr); }},
        {"bsc", [](at::ScalarType type) { return compressed(type, at::kSparseBsc); }},
        {"nested", nested},
        {"jagged", jagged},
        {"mkldnn", [](at::ScalarType type) { return dense(type).to_mkldnn(); }},
        {"meta", [](at::ScalarType type) { return at::empty({4, 6}, at::dtype(type).device(at::kMeta)); }},
        // Last, because resolving these launches a kernel on the GPU.
        {"negated", negated},
        {"conjugated", conjugated},
    };
}

std::string bytes_of(const at::Tensor& tensor) {
    std::string bytes;
    for (const auto& part : parts_of(tensor)) bytes += bytes_of_strided(part.resolve_conj().resolve_neg());
    return bytes;
}

}  // namespace tocuda
