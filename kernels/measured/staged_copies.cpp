// tocuda, Apache-2.0.
// The copies that pass through shared memory: cp.async, and bulk (TMA).
#include "kernels/cp_async_copy.hpp"
#include "kernels/launches.hpp"
#include "kernels/measured/allowed.hpp"
#include "kernels/measured/copy_bench.hpp"

namespace tocuda::measured::staged_copies {
namespace {

Copy copy_by_cp_async(const Parameters& set, const GpuFacts& gpu) {
    const Spread spread{gpu.multiprocessors, std::min(static_cast<unsigned>(whole(set, "blocks_each")), cp_async_copies_at_once())};
    return [=, bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_cp_async_copy(stream, to, from, bytes, spread);
    };
}

const RegisteredBenchmark cp_async{copy_within_one_gpu(
    "cp_async", "copy within the memory of one GPU through shared memory by cp.async", {{"blocks_each", {8}}}, {{"blocks_each", {4, 6, 8}}},
    {.copy = copy_by_cp_async,
     .compute_capability = CpAsyncCopy::compute_capability,
     .why_skipped = [](const Parameters& set, const GpuFacts&) { return why_not_between(set, "blocks_each", 1, 32); }})};

BulkCopy shape_of(const Parameters& set) {
    return {.tile_bytes = static_cast<unsigned>(whole(set, "tile_bytes")), .stages = static_cast<unsigned>(whole(set, "stages"))};
}

Copy copy_in_bulk(const Parameters& set, const GpuFacts& gpu) {
    const auto shape = shape_of(set);
    const Spread spread{gpu.multiprocessors, std::min(static_cast<unsigned>(whole(set, "blocks_each")), bulk_copies_at_once(shape))};
    return [=, bytes = bytes_of(set)](const Stream& stream, std::byte* to, const std::byte* from) {
        launch_bulk_copy(stream, to, from, bytes, shape, spread);
    };
}

std::string why_no_bulk(const Parameters& set, const GpuFacts& gpu) {
    if (auto why = why_not_between(set, "blocks_each", 1, 32); !why.empty()) return why;
    if (auto why = why_not_between(set, "stages", 2, 32); !why.empty()) return why;
    if (auto why = why_not_between(set, "tile_bytes", 128, 131072); !why.empty()) return why;
    const auto shape = shape_of(set);
    if (shape.tile_bytes % 128 != 0) return "tile_bytes is a multiple of 128; it is " + std::to_string(shape.tile_bytes);
    if (shape.shared_bytes() <= gpu.shared_bytes) return "";
    return std::to_string(shape.shared_bytes()) + " bytes of shared memory are needed; a block has at most " + std::to_string(gpu.shared_bytes);
}

const RegisteredBenchmark bulk{copy_within_one_gpu(
    "tma_bulk", "copy within the memory of one GPU through shared memory in bulk (TMA)",
    {{"tile_bytes", {8192}}, {"stages", {4}}, {"blocks_each", {6}}},
    {{"tile_bytes", {4096, 8192, 16384}}, {"stages", {3, 4, 8}}, {"blocks_each", {1, 3, 6}}},
    {.copy = copy_in_bulk, .compute_capability = BulkCopy::compute_capability, .why_skipped = why_no_bulk})};

}  // namespace
}  // namespace tocuda::measured::staged_copies
