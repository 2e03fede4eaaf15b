// tocuda, Apache-2.0.
// The copy by as many blocks as run at once. Parameters: blocks per multiprocessor, tile order and cache hint.
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/copy_variants.hpp"
#include "kernels/measured/hints.hpp"
#include "measurement/tuning.hpp"

namespace tocuda::measured::persistent_copy {
namespace {

PersistentShape shape_of(const Parameters& set) {
    const bool side_by_side = text(set, "order") == "interleaved";
    return {.order = side_by_side ? TileOrder::interleaved : TileOrder::contiguous, .hint = hint_of(text(set, "hint"))};
}

Copy copy(const Parameters& set, const GpuFacts& gpu) {
    const Spread spread{gpu.multiprocessors, static_cast<unsigned>(whole(set, "blocks_each"))};
    return
        [=, bytes = bytes_of(set), shape = shape_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
            launch_persistent_copy(stream, to, from, bytes, shape, spread);
        };
}

std::string why_skipped(const Parameters& set, const GpuFacts&) {
    if (auto why = why_not_between(set, "blocks_each", 1, 32); !why.empty()) return why;
    if (auto why = why_not_among(set, "hint", every_hint()); !why.empty()) return why;
    if (auto why = why_not_among(set, "order", {"interleaved", "contiguous"}); !why.empty()) return why;
    return why_not_at_once(set, persistent_copies_at_once(shape_of(set)));
}

}  // namespace

CopyWithin by_persistent() { return {.copy = copy, .why_skipped = why_skipped}; }

namespace {

// A block loads 32 KiB while it stores 32 KiB, so two blocks have 64 KiB of loads in flight on a multiprocessor.
Measurable persistent() {
    return copy_within_one_gpu(
        "persistent", "copy within the memory of one GPU by as many blocks as it runs at once",
        {{"blocks_each", {2}}, {"hint", {"streaming"}}, {"order", {"interleaved"}}},
        {{"blocks_each", {1, 2}}, {"hint", every_hint()}, {"order", {"interleaved", "contiguous"}}}, by_persistent());
}

const RegisteredBenchmark registered{persistent()};
const RegisteredBenchmark to_choose{tuning(persistent(), "copy_by_persistent", {{"bytes", tuning_bytes()}})};

}  // namespace
}  // namespace tocuda::measured::persistent_copy
