// tocuda, Apache-2.0.
#include "computing/first.hpp"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/op_registration/adaption.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "computing/on_host.hpp"

namespace tocuda::computing {

using std::string_view_literals::operator""sv;

bool is_linear_algebra(std::string_view name) {
    static const std::set<std::string_view> names{"aten::_linalg_det",
                                                  "aten::_linalg_eigh",
                                                  "aten::_linalg_eigvals",
                                                  "aten::_linalg_slogdet",
                                                  "aten::_linalg_solve_ex",
                                                  "aten::_linalg_svd",
                                                  "aten::cholesky",
                                                  "aten::cholesky_inverse",
                                                  "aten::_cholesky_solve_helper",
                                                  "aten::geqrf",
                                                  "aten::linalg_cholesky_ex",
                                                  "aten::linalg_eig",
                                                  "aten::linalg_householder_product",
                                                  "aten::linalg_inv_ex",
                                                  "aten::linalg_ldl_factor_ex",
                                                  "aten::linalg_ldl_solve",
                                                  "aten::linalg_lstsq",
                                                  "aten::linalg_lu",
                                                  "aten::linalg_lu_factor_ex",
                                                  "aten::linalg_lu_solve",
                                                  "aten::linalg_qr",
                                                  "aten::linalg_solve_triangular",
                                                  "aten::ormqr",
                                                  "aten::triangular_solve",
                                                  "aten::linalg_eigvals"};
    return names.contains(name);
}

First computed_first(const c10::OperatorHandle& op, c10::DispatchKey key) {
    static const std::set<std::string_view> sized_by_values{
        "aten::nonzero", "aten::_unique", "aten::_unique2", "aten::unique_dim", "aten::unique_consecutive",
        "aten::unique_dim_consecutive", "aten::masked_select", "aten::bincount", "aten::repeat_interleave",
        "aten::_coalesce", "aten::_sparse_softmax", "aten::_sparse_log_softmax", "aten::_sparse_softmax_backward_data",
        "aten::_sparse_log_softmax_backward_data",
        // Its kernels call each other without the dispatcher, and it reads the answer back.
        "aten::equal"};
    // Of cuFFT, and those that are compiled when they are called.
    static const std::set<std::string_view> names{
        "aten::_fft_r2c", "aten::_fft_c2r",      "aten::_fft_c2c", "aten::digamma", "aten::erfcx",     "aten::gcd",
        "aten::i0",       "aten::kaiser_window", "aten::lcm",      "aten::lgamma",  "aten::polygamma", "aten::sinc"};
    static const std::set<std::string_view> compiled_for_complex{
        "aten::abs",        "aten::acos",          "aten::acosh",
        "aten::addcdiv",    "aten::addcmul",       "aten::angle",
        "aten::asin",       "aten::asinh",         "aten::atan",
        "aten::atanh",      "aten::cos",           "aten::cosh",
        "aten::exp",        "aten::lerp",          "aten::log",
        "aten::log10",      "aten::log2",          "aten::logical_and",
        "aten::logical_or", "aten::logical_xor",   "aten::pow",
        "aten::prod",       "aten::reciprocal",    "aten::rsqrt",
        "aten::sgn",        "aten::sigmoid",       "aten::sigmoid_backward",
        "aten::sin",        "aten::sinh",          "aten::tan",
        "aten::tanh",       "aten::tanh_backward", "aten::sqrt",
        "aten::expm1",      "aten::log1p",         "aten::exp2",
        "aten::logaddexp",  "aten::logaddexp2"};
    static const std::set<std::string_view> of_sparse_matrices{
        // cuSPARSE
        "aten::_sparse_sparse_matmul", "aten::addmm",           "aten::addmv", "aten::baddbmm", "aten::bmm", "aten::mm",
        "aten::sparse_sampled_addmm",  "aten::triangular_solve"};
    // Their kernels make the indices that operators within them use.
    static const std::set<std::string_view> of_coordinates{"aten::add",
                                                           "aten::sub",
                                                           "aten::mul",
                                                           "aten::hspmm",
                                                           "aten::sparse_mask",
                                                           "aten::_sparse_mask_projection",
                                                           "aten::_sparse_sum_backward"};
    // Operators within them change the tensor that is given, before it is computed.
    static const std::set<std::string_view> changed_within{"aten::index_reduce_", "aten::renorm_",
                                                           "aten::scatter_reduce_"};
    std::string_view name = op.operator_name().name;
    if (changed_within.contains(name)) return First::always;
    if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);  // in place
    if (sized_by_values.contains(name)) return First::for_sizes;
    if (key == c10::DispatchKey::SparseCUDA) {
        if (name == "aten::index_select") return First::for_sizes;
        if (of_coordinates.contains(name)) return First::always;
    }
    const bool compressed = key == c10::DispatchKey::SparseCsrCUDA;
    if ((compressed || key == c10::DispatchKey::SparseCUDA) && of_sparse_matrices.contains(name)) return First::always;
    if (compressed && name == "aten::add") return First::always;
    if (compressed && (name == "aten::_sparse_csr_sum" || name == "aten::_sparse_csr_prod")) return First::always;
    if (name == "aten::topk" || name == "aten::mode") return First::if_large;
    if (names.contains(name) || is_linear_algebra(name) || name.starts_with("aten::special_")) return First::always;
    return compiled_for_complex.contains(name) ? First::if_complex : First::never;
}

bool is_large(std::string_view name, c10::ArrayRef<c10::IValue> arguments) {
    constexpr std::int64_t sorted_in_one_kernel = 4096, counted_in_one_kernel = 2048;
    const auto& input = arguments[0].toTensor();
    if (name == "aten::topk") return arguments[1].toInt() > sorted_in_one_kernel;
    return input.dim() > 0 && arguments[1].isInt() &&
           input.size(c10::maybe_wrap_dim(arguments[1].toInt(), input.dim())) > counted_in_one_kernel;
}

void make_room(c10::ArrayRef<c10::IValue> arguments) {
    const auto least = arguments[3].toTensor();
    if (!arguments[11].toBool() || least.numel() > 0) return;
    const std::int64_t size = arguments[0].toTensor().size(arguments[10].toInt());
    constexpr float none = std::numeric_limits<float>::infinity();
    least.resize_(size).fill_(none);
    arguments[4].toTensor().resize_(size).fill_(-none);
    arguments[5].toTensor().resize_(size);
    arguments[6].toTensor().resize_(size);
}

void require_one_device(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, bool strict) {
    std::optional<c10::Device> common;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        each_tensor(arguments[i], [&](const at::Tensor& tensor) {
            const bool number = tensor.defined() && tensor.is_cpu() && tensor.dim() == 0;
            if (strict || !number)
                c10::impl::check_and_update_common_device(common, tensor, op.operator_name().name.c_str(),
                                                          op.schema().arguments()[i].name().c_str());
        });
    }
}

bool lacks_a_library(const std::exception& error) {
    constexpr std::array signs{"CUFFT"sv,           "cuFFT"sv,    "cusolver error"sv,    "CUSOLVER_STATUS"sv,
                               "CUSPARSE_STATUS"sv, "cusparse"sv, "CUDNN_STATUS"sv,      "cuDNN error"sv,
                               "nvrtc"sv,           "NVRTC"sv,    "CUDA driver error"sv, "when calling `status`"sv};
    const std::string_view text = error.what();
    return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) { return text.find(sign) != text.npos; });
}

}  // namespace tocuda::computing
