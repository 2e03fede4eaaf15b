// tocuda, Apache-2.0.
#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "computing/equivalents.hpp"

namespace tocuda::computing {
namespace {

using at::Tensor;
using torch::jit::Stack;

// The results, or the tensors at the end of the arguments that they are written into.
Stack given_back(const Stack& given, std::size_t arguments, std::vector<Tensor> results) {
    Stack back;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (given.size() == arguments) {
            back.emplace_back(results[i]);
            continue;
        }
        Tensor out = given.at(arguments + i).toTensor();
        back.emplace_back(out.resize_(results[i].sizes()).copy_(results[i]));
    }
    return back;
}

// Both factors in one matrix. Without a pivot a zero on the diagonal gives infinities, as on a GPU.
Tensor without_pivot(const Tensor& matrix) {
    Tensor factors = matrix.clone();
    const auto rows = factors.size(-2), columns = factors.size(-1);
    for (std::int64_t i = 0; i < std::min(rows - 1, columns); ++i) {
        const auto below = factors.narrow(-2, i + 1, rows - i - 1);
        below.narrow(-1, i, 1).div_(factors.narrow(-2, i, 1).narrow(-1, i, 1));
        below.narrow(-1, i + 1, columns - i - 1)
            .sub_(below.narrow(-1, i, 1) * factors.narrow(-2, i, 1).narrow(-1, i + 1, columns - i - 1));
    }
    return factors;
}

// For each matrix the first column whose pivot is zero, counted from 1; 0 if there is none.
Tensor first_zero(const Tensor& factors) {
    const auto zero = factors.diagonal(0, -2, -1).eq(0);
    if (zero.size(-1) == 0) return at::zeros(zero.sizes().slice(0, zero.dim() - 1), at::kInt);
    const auto [any, first] = zero.to(at::kInt).max(-1);
    return (any * (first + 1)).to(at::kInt);
}

// What a GPU's kernel leaves where nothing was exchanged.
Tensor no_exchange(const Tensor& factors) {
    auto sizes = factors.sizes().slice(0, factors.dim() - 2).vec();
    const auto count = std::min(factors.size(-2), factors.size(-1));
    sizes.push_back(count);
    return at::arange(1, count + 1, at::kInt).expand(sizes).contiguous();
}

// The right sides of least squares as columns, which LibTorch tells from vectors in this way.
bool is_vector(const Tensor& matrix, const Tensor& right) {
    return right.dim() == 1 ||
           (matrix.dim() - 1 == right.dim() && right.sizes() == matrix.sizes().slice(0, matrix.dim() - 1));
}

Tensor columns_of(const Tensor& matrix, const Tensor& right) {
    return is_vector(matrix, right) ? right.unsqueeze(-1) : right;
}

// Whether a GPU hands least squares to cuBLAS.
bool is_of_cublas(const Tensor& matrix, const Tensor& right) {
    const auto rows = matrix.size(-2);
    const auto columns = columns_of(matrix, right);
    const auto sizes =
        at::infer_size(matrix.sizes().slice(0, matrix.dim() - 2), columns.sizes().slice(0, columns.dim() - 2));
    const auto count = c10::multiply_integers(sizes);
    return rows >= matrix.size(-1) && rows <= 256 && count >= std::max<std::int64_t>(2, rows / 16);
}

// Which matrices are all zeros: LAPACK solves for them without a look at their rank.
Tensor are_zero(const Tensor& matrix) {
    return matrix.numel() > 0 ? matrix.eq(0).flatten(-2).all(-1) : at::zeros({}, at::kBool);
}

// Least squares by QR and a triangular system, whatever is on the diagonal. Also returns the residuals.
std::pair<Tensor, Tensor> by_factors(const Tensor& matrix, const Tensor& given) {
    const auto right = columns_of(matrix, given);
    const auto rows = matrix.size(-2), columns = matrix.size(-1);
    Tensor solution, residuals = at::empty({0}, right.options().dtype(at::toRealValueType(right.scalar_type())));
    if (rows < columns) {
        const auto [q, r] = at::linalg_qr(matrix.mH(), "reduced");
        solution = q.matmul(at::linalg_solve_triangular(r.mH(), right, /*upper=*/false));
    } else {
        const auto [q, r] = at::linalg_qr(matrix, "complete");
        const auto turned = q.mH().matmul(right);
        solution = at::linalg_solve_triangular(r.narrow(-2, 0, columns), turned.narrow(-2, 0, columns), true);
        if (rows > columns) residuals = turned.narrow(-2, columns, rows - columns).abs().square().sum(-2);
    }
    return {is_vector(matrix, given) ? solution.squeeze(-1) : solution, residuals};
}

}  // namespace

Stack singular_values(const Stack& given) {
    constexpr std::array<std::string_view, 3> drivers{"gesvd", "gesvdj", "gesvda"};
    const auto driver = given[3].toOptional<std::string>();
    TORCH_CHECK(!driver || std::ranges::find(drivers, *driver) != drivers.end(),
                "torch.linalg.svd: unknown svd driver ", *driver, " in svd_cusolver computation. ");
    auto [u, values, v] = at::_linalg_svd(given[0].toTensor(), given[1].toBool(), given[2].toBool());
    return given_back(given, 4, {u, values, v});
}

Stack lu_factors(const Stack& given) {
    const Tensor matrix = given[0].toTensor();
    if (given[1].toBool()) {
        auto [factors, pivots, info] = at::linalg_lu_factor_ex(matrix, true, given[2].toBool());
        return given_back(given, 3, {factors, pivots, info});
    }
    const Tensor factors = without_pivot(matrix), info = first_zero(factors);
    if (given[2].toBool()) at::_linalg_check_errors(info, "torch.linalg.lu_factor_ex", matrix.dim() == 2);
    return given_back(given, 3, {factors, no_exchange(factors), info});
}

Stack lu_parts(const Stack& given) {
    const Tensor matrix = given[0].toTensor();
    if (given[1].toBool()) {
        auto [exchanged, lower, upper] = at::linalg_lu(matrix, true);
        return given_back(given, 2, {exchanged, lower, upper});
    }
    const Tensor factors = without_pivot(matrix);
    const auto count = std::min(factors.size(-2), factors.size(-1));
    const Tensor lower = factors.narrow(-1, 0, count).tril(-1);
    lower.diagonal(0, -2, -1).fill_(1);
    return given_back(given, 2, {at::empty({0}, matrix.options()), lower, factors.narrow(-2, 0, count).triu()});
}

// The CPU refuses a singular factor; a GPU divides by zero.
Stack inverse_of_factor(const Stack& given) {
    const Tensor factor = given[0].toTensor();
    const Tensor identity = at::eye(factor.size(-1), factor.options()).expand_as(factor);
    return given_back(given, 2, {at::cholesky_solve(identity, factor, given[1].toBool())});
}

// A GPU has one method, which finds neither a rank nor singular values. cuBLAS has it for small matrices, and says of
// those without full rank that it cannot; for one matrix or large ones LibTorch does the steps itself and does not ask.
Stack least_squares(const Stack& given) {
    const auto driver = given[3].toOptional<std::string>();
    TORCH_CHECK(!driver || *driver == "gels",
                "torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA");
    const Tensor matrix = given[0].toTensor(), right = given[1].toTensor();
    try {
        auto [solution, residuals, rank, values] =
            at::linalg_lstsq(matrix, right, given[2].toOptional<double>(), "gels");
        if (!are_zero(matrix).any().item<bool>()) return given_back(given, 4, {solution, residuals, rank, values});
    } catch (const c10::LinAlgError&) {
        if (is_of_cublas(matrix, right)) throw;
    }
    if (is_of_cublas(matrix, right))
        at::_linalg_check_errors(are_zero(matrix).to(at::kInt), "torch.linalg.lstsq", matrix.dim() == 2);
    auto [solution, residuals] = by_factors(matrix, right);
    const auto values = at::empty({0}, matrix.options().dtype(at::toRealValueType(matrix.scalar_type())));
    return given_back(given, 4, {solution, residuals, at::empty({0}, at::kLong), values});
}

}  // namespace tocuda::computing
