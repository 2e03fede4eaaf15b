// tocuda, Apache-2.0.
// The unrolled copy. Parameters: loads in flight, threads per block and cache hint.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/copy_variants.hpp"
#include "kernels/measured/hints.hpp"
#include "measurement/tuning.hpp"

namespace tocuda::measured::unrolled_copy {
namespace {

Copy copy(const Parameters& set, const GpuFacts&) {
    const UnrolledShape shape{.in_flight = static_cast<unsigned>(whole(set, "in_flight")),
                              .threads = static_cast<unsigned>(whole(set, "threads")),
                              .hint = hint_of(text(set, "hint"))};
    return [bytes = bytes_of(set), shape](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_unrolled_copy(stream, to, from, bytes, shape);
    };
}

// There is only one kernel with one load per thread, for small copies.
std::string why_skipped(const Parameters& set, const GpuFacts&) {
    if (whole(set, "in_flight") == 1) {
        const auto why = why_not_among(set, "threads", {256});
        return why.empty() ? why_not_among(set, "hint", {"plain"}) : why;
    }
    if (auto why = why_not_among(set, "in_flight", values_of(unrolled_loads)); !why.empty()) return why;
    if (auto why = why_not_among(set, "threads", values_of(unrolled_threads)); !why.empty()) return why;
    return why_not_among(set, "hint", every_hint());
}

}  // namespace

CopyWithin by_unrolled() { return {.copy = copy, .why_skipped = why_skipped}; }

namespace {

Measurable unrolled() {
    return copy_within_one_gpu(
        "unrolled", "copy within the memory of one GPU by a kernel with many loads in flight",
        {{"in_flight", {12}}, {"threads", {256}}, {"hint", {"streaming"}}},
        {{"in_flight", values_of(unrolled_loads)}, {"threads", values_of(unrolled_threads)}, {"hint", every_hint()}},
        by_unrolled());
}

const RegisteredBenchmark registered{unrolled()};
const RegisteredBenchmark to_choose{tuning(unrolled(), "copy_by_unrolled", {{"bytes", tuning_bytes()}})};

}  // namespace
}  // namespace tocuda::measured::unrolled_copy
