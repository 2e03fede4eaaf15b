// tocuda, Apache-2.0.
// The copy by the kernel that is best for so many bytes on this GPU.
#include "kernels/copy_choice.hpp"
#include "kernels/launches.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "measurement/parameter.hpp"
#include "measurement/sizes.hpp"

namespace tocuda::measured::best_copy {
namespace {

Copy copy(const Parameters& set, const GpuFacts& gpu) {
    const auto bytes = bytes_of(set);
    const auto choice = copy_choice({gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes}, bytes, true);
    return [=](const Stream& stream, std::byte* to, const std::byte* from) {
        if (choice.kernel == CopyKernel::misaligned) launch_misaligned_copy(stream, to, from, bytes);
        else launch_unrolled_copy(stream, to, from, bytes, choice.in_flight, choice.hint);
    };
}

Measurable best() {
    auto measurable = copy_within_one_gpu("best", "copy within the memory of one GPU by the kernel that is best for so many bytes there",
                                          {{"bytes", powers_of_four(std::int64_t{1} << 30)}}, {{"bytes", powers_of_four(std::int64_t{4} << 30)}},
                                          {.copy = copy});
    measurable.benchmark.quick = {{"bytes", {std::int64_t{4} << 10, std::int64_t{1} << 20, std::int64_t{64} << 20}}};
    return measurable;
}

const RegisteredBenchmark registered{best()};

}  // namespace
}  // namespace tocuda::measured::best_copy
