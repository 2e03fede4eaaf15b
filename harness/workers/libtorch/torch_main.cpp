// tocuda, Apache-2.0.
// tocuda-torch in a build without LibTorch benchmarks: the worker that holds the scenarios.
#include <torch/cuda.h>
#include <torch/version.h>

#include "libtorch/cuda_runtime.hpp"
#include "libtorch/shortage.hpp"
#include "worker/worker_verbs.hpp"

int main(int count, char** arguments) {
    return tocuda::worker_main(count, arguments,
                               {.gpu_answered = [] { return torch::cuda::is_available(); },
                                .gpu_computes = tocuda::gpu_computes,
                                .lacking = tocuda::lacking,
                                .lacked_by_this_exception = tocuda::lacked_by_this_exception,
                                .built_with = {{"libtorch", TORCH_VERSION}}});
}
