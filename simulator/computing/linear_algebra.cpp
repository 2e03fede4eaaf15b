// tocuda, Apache-2.0.
#include "computing/linear_algebra.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
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

// A GPU has one method, which finds neither a rank nor singular values.
Stack least_squares(const Stack& given) {
    const auto driver = given[3].toOptional<std::string>();
    TORCH_CHECK(!driver || *driver == "gels",
                "torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA");
    auto [solution, residuals, rank, values] =
        at::linalg_lstsq(given[0].toTensor(), given[1].toTensor(), given[2].toOptional<double>(), "gels");
    return given_back(given, 4, {solution, residuals, rank, values});
}

}  // namespace tocuda::computing
