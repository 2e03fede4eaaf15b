// tocuda, Apache-2.0.
// Linear algebra that the CPU refuses and a GPU computes, or the other way round.
#pragma once

#include <ATen/core/stack.h>

namespace tocuda::computing {

torch::jit::Stack singular_values(const torch::jit::Stack& arguments);
torch::jit::Stack lu_factors(const torch::jit::Stack& arguments);
torch::jit::Stack lu_parts(const torch::jit::Stack& arguments);
torch::jit::Stack inverse_of_factor(const torch::jit::Stack& arguments);
torch::jit::Stack least_squares(const torch::jit::Stack& arguments);

}  // namespace tocuda::computing
