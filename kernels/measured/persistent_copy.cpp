// tocuda, Apache-2.0.
// The copy by as many blocks as run at once: how many of them on each multiprocessor, and which word to the caches.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/hints.hpp"

namespace tocuda::measured::persistent_copy {
namespace {

Copy copy(const Parameters& set, const GpuFacts& gpu) {
    const auto hint = hint_of(text(set, "hint"));
    const Spread spread{gpu.multiprocessors, std::min(static_cast<unsigned>(whole(set, "blocks_each")), persistent_copies_at_once(hint))};
    return [=, bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_persistent_copy(stream, to, from, bytes, hint, spread);
    };
}

std::string why_skipped(const Parameters& set, const GpuFacts&) {
    const auto why = why_not_between(set, "blocks_each", 1, 32);
    return why.empty() ? why_not_among(set, "hint", every_hint()) : why;
}

const RegisteredBenchmark persistent{copy_within_one_gpu(
    "persistent", "copy within the memory of one GPU by as many blocks as it runs at once", {{"blocks_each", {2}}, {"hint", {"streaming"}}},
    {{"blocks_each", {1, 2, 3}}, {"hint", every_hint()}}, {.copy = copy, .why_skipped = why_skipped})};

}  // namespace
}  // namespace tocuda::measured::persistent_copy
