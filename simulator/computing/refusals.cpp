// tocuda, Apache-2.0.
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "computing/first.hpp"

namespace tocuda::computing {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

void alert_if_not_deterministic(std::string_view name, Arguments arguments) {
    if (!at::globalContext().deterministicAlgorithms()) return;
    const auto alert = [](const char* kernel) { at::globalContext().alertNotDeterministic(kernel); };
    if (name == "aten::bincount" && !arguments[1].isNone()) alert("_bincount_cuda");
    else if (name == "aten::index_reduce_") alert("index_reduce_cuda");
    else if (name == "aten::scatter_reduce_" && arguments[4].toStringView() == "prod")
        alert("scatter_reduce_cuda_prod_");
}

void refuse_solving(Arguments arguments) {
    TORCH_CHECK(!arguments[0].toTensor().is_complex() || !arguments[3].toBool(),
                "torch.linalg.ldl_solve: complex tensors with hermitian=True flag are not supported on CUDA.");
}

// Only if the program prefers a library: otherwise LibTorch takes the one that can.
void refuse_factors(Arguments arguments) {
    if (!arguments[0].toTensor().is_complex()) return;
    const auto preferred = at::globalContext().linalgPreferredBackend();
    const bool hermitian = arguments[1].toBool();
    TORCH_CHECK(preferred != at::LinalgBackend::Cusolver || !hermitian,
                "torch.linalg.ldl_factor: complex tensors with hermitian=True flag are not supported with cuSOLVER "
                "backend. Currently preferred backend is ",
                preferred,
                ", please set 'default' or 'magma' backend with torch.backends.cuda.preferred_linalg_library");
    TORCH_CHECK(preferred != at::LinalgBackend::Magma || hermitian,
                "torch.linalg.ldl_factor: complex tensors with hermitian=False flag are not supported with MAGMA "
                "backend. Currently preferred backend is ",
                preferred,
                ", please set 'default' or 'cusolver' backend with torch.backends.cuda.preferred_linalg_library");
}

void refuse_transform(std::string_view name, Arguments arguments) {
    const auto& signal = arguments[0].toTensor();
    const auto type = at::toRealValueType(signal.scalar_type());
    if (type != at::kHalf && type != at::kBFloat16) return;
    std::vector<std::int64_t> sizes;
    for (const std::int64_t dim : arguments[1].toIntVector()) sizes.push_back(signal.size(dim));
    if (name == "aten::_fft_c2r" && !sizes.empty()) sizes.back() = arguments[3].toInt();
    const auto is_power = [](std::int64_t size) { return std::has_single_bit(static_cast<std::uint64_t>(size)); };
    TORCH_CHECK(std::ranges::all_of(sizes, is_power),
                "cuFFT only supports dimensions whose sizes are powers of two when computing in ",
                type == at::kHalf ? "half" : "bfloat16", " precision, but got a signal size of",
                c10::IntArrayRef(sizes));
}

// Of coordinates and a dense matrix: cuSPARSE is asked for these types only.
void refuse_product(const char* kernel, const at::Tensor& one, const at::Tensor& other) {
    if (one.is_sparse() == other.is_sparse() || (one.is_sparse() ? one : other)._nnz() == 0) return;
    const auto type = one.scalar_type(), real = at::toRealValueType(type);
    TORCH_CHECK_NOT_IMPLEMENTED(real == at::kFloat || real == at::kDouble, '"', kernel, "\" not implemented for '",
                                c10::toString(type), "'");
}

// Whether a number of the CPU, as a tensor, is an argument.
bool is_number(const c10::IValue& argument) {
    return argument.isTensor() && argument.toTensor().defined() && argument.toTensor().is_cpu() &&
           argument.toTensor().dim() == 0;
}

// Of the operators that are computed for complex numbers only.
void refuse_numbers(const c10::OperatorHandle& op, Arguments arguments) {
    static const std::set<std::string_view> take_none{"aten::addcdiv",          "aten::addcdiv_",
                                                      "aten::logaddexp",        "aten::logaddexp2",
                                                      "aten::sigmoid_backward", "aten::tanh_backward"};
    const std::string_view name = op.operator_name().name;
    if (take_none.contains(name)) return require_one_device(op, arguments, true);
    if (name != "aten::addcmul" && name != "aten::addcmul_") return;
    TORCH_CHECK(!is_number(arguments[0]),
                "CPU Scalar support for self argument is not supported when calling addcmul on CUDA tensors.");
    TORCH_CHECK(!is_number(arguments[1]),
                "CPU Scalar support for tensor1 argument is not supported when calling addcmul on CUDA tensors. "
                "However, CPU Scalar support for tensor2 is supported, please swap your tensor1 and tensor2 terms.");
}

}  // namespace

void refuse_as_on_gpu(const c10::OperatorHandle& op, Arguments arguments) {
    std::string_view name = op.operator_name().name;
    alert_if_not_deterministic(name, arguments);
    refuse_numbers(op, arguments);
    const auto tensor = [&](std::size_t i) { return arguments[i].toTensor(); };
    if (name == "aten::linalg_ldl_solve") refuse_solving(arguments);
    else if (name == "aten::linalg_ldl_factor_ex") refuse_factors(arguments);
    else if (name.starts_with("aten::_fft_")) refuse_transform(name, arguments);
    else if (name == "aten::mm" || name == "aten::hspmm") refuse_product("addmm_sparse_cuda", tensor(0), tensor(1));
    else if (name == "aten::addmm" || name == "aten::addmm_") refuse_product("addmm_sparse_cuda", tensor(1), tensor(2));
    else if (name == "aten::bmm") refuse_product("bmm_sparse_cuda", tensor(0), tensor(1));
}

}  // namespace tocuda::computing
