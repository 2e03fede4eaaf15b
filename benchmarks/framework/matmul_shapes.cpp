// tocuda, Apache-2.0.
// Products of matrices in the other shapes that networks have.
#include "benchmarks/framework/products.hpp"

namespace tocuda::framework::matmul_shapes {
namespace {

const RegisteredBenchmark registered{{
    .benchmark = {.name = "framework/matmul_shapes",
                  .summary = "products of matrices that are not square, by LibTorch and cuBLAS",
                  .how =
                      "as framework/matmul. `tall` is n x n/16 times n/16 x n/16, `flat` is 32 x n times n x n, "
                      "as a language model has it for 32 requests at once, and `batched` is 64 products of n/4 x n/4 "
                      "matrices, together as many operations as framework/matmul has for n. A flat product does 64 "
                      "operations with each number of the large matrix, so that memory limits it, or for small n the "
                      "calls of LibTorch",
                  .clock = Clock::host,
                  .parameters = {{"n", {}}, {"shape", products::shapes()}, {"type", products::types()}},
                  .quick = {{"n", {}}},
                  .full = {{"n", {4096, 16384}}},
                  .allowed = {{"n", {.least = 256, .most = 32768, .multiple_of = 256}}},
                  .needs = {.gpus = 1}},
    .set_up = products::set_up,
}};

}  // namespace
}  // namespace tocuda::framework::matmul_shapes
