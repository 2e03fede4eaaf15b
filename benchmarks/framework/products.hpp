// tocuda, Apache-2.0.
// Products of matrices through LibTorch, that is by cuBLAS, in each type that GPUs multiply: square ones, and the other
// shapes that networks have.
#pragma once

#include <memory>
#include <vector>

#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::framework::products {

Values types();
Values shapes();  // those that are not square

// Measures sets of `n`, a `type`, and a `shape` or none: square.
std::unique_ptr<Bench> set_up(const std::vector<Parameters>& sets);

}  // namespace tocuda::framework::products
