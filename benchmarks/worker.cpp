// tocuda, Apache-2.0.
// The worker tocuda-cuda, with the custom kernels and the transfers.
#include "benchmarks/calls/context.hpp"
#include "benchmarks/calls/measured_child.hpp"
#include "measurement/answer.hpp"
#include "measurement/gpu/cuda_instruments.hpp"
#include "measurement/peer_truth.hpp"

int main(int count, char** arguments) {
    if (const auto code = tocuda::answered_as_first_byte(count, arguments)) return *code;
    if (const auto code = tocuda::answered_as_context(count, arguments)) return *code;
    if (const auto code = tocuda::answered_as_peer_truth(count, arguments)) return *code;
    return tocuda::benchmark_worker_main(count, arguments,
                                         {.gpu_answered = [] { return false; },
                                          .gpu_computes = [] { return true; },
                                          .built_with = {{"cuda", tocuda::cuda_version()},
                                                         {"toolkit", TOCUDA_TOOLKIT},
                                                         {"architectures", TOCUDA_ARCHITECTURES}}},
                                         [] { return tocuda::cuda_instruments(tocuda::gated_clock); });
}
