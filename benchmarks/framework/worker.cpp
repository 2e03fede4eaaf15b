// tocuda, Apache-2.0.
// tocuda-torch: the worker that holds the scenarios and the benchmarks through LibTorch.
#include <torch/cuda.h>
#include <torch/version.h>

#include "libtorch/cuda_runtime.hpp"
#include "libtorch/shortage.hpp"
#include "measurement/answer.hpp"
#include "measurement/gpu/cuda_instruments.hpp"

int main(int count, char** arguments) {
    return tocuda::benchmark_worker_main(
        count, arguments,
        {.gpu_answered = [] { return torch::cuda::is_available(); },
         .gpu_computes = tocuda::gpu_computes,
         .lacking = tocuda::lacking,
         .lacked_by_this_exception = tocuda::lacked_by_this_exception,
         .built_with = {{"cuda", tocuda::cuda_version()}, {"libtorch", TORCH_VERSION}}},
        [] { return tocuda::cuda_instruments(nullptr); });
}
