// tocuda, Apache-2.0.
// Products of square matrices.
#include "benchmarks/framework/products.hpp"

namespace tocuda::framework::matmul {
namespace {

const RegisteredBenchmark registered{{
    .benchmark = {.name = "framework/matmul",
                  .summary = "the product of two matrices of n rows and n columns, by LibTorch and cuBLAS",
                  .how =
                      "the host's clock around so many products that the wait for the GPU does not count; small ones "
                      "may wait for LibTorch. 2 n^3 operations are counted, not bytes: the rate is in 10^9 operations "
                      "a second (Gop/s). `tf32` are floats of which tensor cores multiply the upper bits; `float` "
                      "forbids that. The factors are whole numbers from -4 to 4: at the power limit other numbers are "
                      "slower. Parts of sums of half and bfloat16 are added up in float (LibTorch may round them), "
                      "float8 without fast accumulation; the right factor is transposed",
                  .clock = Clock::host,
                  .parameters = {{"n", {}}, {"type", products::types()}},
                  .quick = {{"n", {}}},
                  .full = {{"n", {1024, 4096, 16384}}},
                  .allowed = {{"n", {.least = 32, .most = 32768, .multiple_of = 16}}},
                  .needs = {.gpus = 1},
                  .role = {.pictures = {"libtorch-tax", "products-by-size"}}},
    .set_up = products::set_up,
}};

}  // namespace
}  // namespace tocuda::framework::matmul
