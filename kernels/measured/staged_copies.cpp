// tocuda, Apache-2.0.
// The copies through shared memory: cp.async and bulk (TMA).
#include "kernels/cp_async_copy.hpp"
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"
#include "kernels/measured/copy_variants.hpp"
#include "measurement/tuning.hpp"

namespace tocuda::measured::staged_copies {
namespace {

Copy copy_by_cp_async(const Parameters& set, const GpuFacts& gpu) {
    const Spread spread{gpu.multiprocessors, static_cast<unsigned>(whole(set, "blocks_each"))};
    return [=, bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_cp_async_copy(stream, to, from, bytes, spread);
    };
}

std::string why_no_cp_async(const Parameters& set, const GpuFacts&) {
    const auto why = why_not_between(set, "blocks_each", 1, 32);
    return why.empty() ? why_not_at_once(set, cp_async_copies_at_once()) : why;
}

const RegisteredBenchmark cp_async{copy_within_one_gpu(
    "cp_async", "copy within the memory of one GPU through shared memory by cp.async",
    {{"bytes", {}}, {"blocks_each", {4}}}, {{"blocks_each", {2, 4, 6, 8}}},
    {.copy = copy_by_cp_async, .compute_capability = CpAsyncCopy::compute_capability, .why_skipped = why_no_cp_async})};

Values every_l2_policy() { return {"plain", "evict_first"}; }

BulkCopy shape_of(const Parameters& set) {
    return {.tile_bytes = static_cast<unsigned>(whole(set, "tile_bytes")),
            .stages = static_cast<unsigned>(whole(set, "stages")),
            .lines = text(set, "l2") == "evict_first" ? L2Policy::evict_first : L2Policy::none};
}

Copy copy_in_bulk(const Parameters& set, const GpuFacts& gpu) {
    const auto shape = shape_of(set);
    const Spread spread{gpu.multiprocessors, static_cast<unsigned>(whole(set, "blocks_each"))};
    return [=, bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_bulk_copy(stream, to, from, bytes, shape, spread);
    };
}

std::string why_no_bulk(const Parameters& set, const GpuFacts& gpu) {
    if (auto why = why_not_between(set, "blocks_each", 1, 32); !why.empty()) return why;
    if (auto why = why_not_between(set, "stages", 2, 32); !why.empty()) return why;
    if (auto why = why_not_among(set, "l2", every_l2_policy()); !why.empty()) return why;
    if (auto why = why_not_between(set, "tile_bytes", 128, 131072); !why.empty()) return why;
    const auto shape = shape_of(set);
    if (shape.tile_bytes % 128 != 0)
        return "tile_bytes must be a multiple of 128, not " + std::to_string(shape.tile_bytes);
    if (shape.shared_bytes() > gpu.shared_bytes)
        return std::to_string(shape.shared_bytes()) + " bytes of shared memory are needed; a block has at most " +
               std::to_string(gpu.shared_bytes);
    return why_not_at_once(set, bulk_copies_at_once(shape));
}

}  // namespace

CopyWithin by_bulk() {
    return {.copy = copy_in_bulk, .compute_capability = BulkCopy::compute_capability, .why_skipped = why_no_bulk};
}

namespace {

// By default about 64 KiB are in flight on a multiprocessor, and every GPU that supports bulk copies has enough shared
// memory for that.
Measurable bulk() {
    return copy_within_one_gpu("tma_bulk", "copy within the memory of one GPU through shared memory in bulk (TMA)",
                               {{"tile_bytes", {8192}}, {"stages", {6}}, {"blocks_each", {2}}, {"l2", {"plain"}}},
                               {{"tile_bytes", {8192, 16384, 32768}},
                                {"stages", {3, 4, 6}},
                                {"blocks_each", {1, 2, 4}},
                                {"l2", every_l2_policy()}},
                               by_bulk());
}

const RegisteredBenchmark registered{bulk()};
const RegisteredBenchmark to_choose{tuning(bulk(), "copy_by_tma_bulk", {{"bytes", tuning_bytes()}})};

}  // namespace
}  // namespace tocuda::measured::staged_copies
