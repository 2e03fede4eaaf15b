// tocuda, Apache-2.0.
// The unrolled copy: how many loads in flight, and which word to the caches.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/hints.hpp"

namespace tocuda::measured::unrolled_copy {
namespace {

Copy copy(const Parameters& set, const GpuFacts&) {
    return [bytes = bytes_of(set), in_flight = static_cast<unsigned>(whole(set, "in_flight")),
            hint = hint_of(text(set, "hint"))](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_unrolled_copy(stream, to, from, bytes, in_flight, hint);
    };
}

std::string why_skipped(const Parameters& set, const GpuFacts&) {
    const auto why = why_not_among(set, "in_flight", {1, 8, 12, 16});
    return why.empty() ? why_not_among(set, "hint", every_hint()) : why;
}

const RegisteredBenchmark unrolled{copy_within_one_gpu("unrolled", "copy within the memory of one GPU by a kernel with many loads in flight",
                                                       {{"in_flight", {12}}, {"hint", {"streaming"}}},
                                                       {{"in_flight", {1, 8, 12, 16}}, {"hint", every_hint()}},
                                                       {.copy = copy, .why_skipped = why_skipped})};

}  // namespace
}  // namespace tocuda::measured::unrolled_copy
