// tocuda, Apache-2.0.
// Bulk copies through shared memory (TMA): one thread per block requests whole tiles, the hardware moves them.
#include <algorithm>

#include "kernels/launching.hpp"
#include "measurement/block.hpp"

namespace tocuda::kernels::bulk_copy {

// Each block has `stages` tiles of `tile_bytes` (a multiple of 128) in flight: each is loaded and stored, and
// its buffer is reused once the store has read it. 2 to 32 stages.
struct BulkCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 32;
    unsigned tile_bytes = 8192;
    unsigned stages = 4;
    L2Policy lines = L2Policy::none;

    constexpr std::size_t shared_bytes() const { return places_start() + std::size_t{stages} * tile_bytes; }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto pieces = cut<Vector16>(to, from, bytes);
        if (!pieces.alike) return copy_bytes(block, to, from, bytes);
        auto* barriers = shared<std::uint64_t>(block, stages);
        auto* places = static_cast<std::byte*>(block.shared_array(std::size_t{stages} * tile_bytes, alignment));
        if (block.thread == 0)
            copy_bulk(block, {to + pieces.head, from + pieces.head, pieces.elements * sizeof(Vector16)}, barriers,
                      places);
        copy_edges(block, to, from, bytes, pieces);
    }

    static constexpr Touched touched(const std::byte* to, const std::byte* from, std::size_t bytes) {
        return touched_by_copy(to, from, bytes);
    }

private:
    static constexpr std::size_t alignment = 128;

    struct Run {
        std::byte* to;
        const std::byte* from;
        std::size_t bytes;
    };

    constexpr std::size_t places_start() const { return parts(stages * sizeof(std::uint64_t), alignment) * alignment; }

    template <class Block>
    constexpr void copy_bulk(const Block& block, const Run& run, std::uint64_t* barriers, std::byte* places) const {
        BulkCopies copies(barriers, lines);
        copies.begin(stages);
        const auto step = std::size_t{block.blocks} * tile_bytes;
        const auto start = std::size_t{block.block} * tile_bytes;
        const auto bytes_at = [&](std::size_t at) {
            return static_cast<std::uint32_t>(std::min(std::size_t{tile_bytes}, run.bytes - at));
        };
        auto loaded = start;  // start of the next load
        const auto load = [&](unsigned stage) {
            if (loaded < run.bytes)
                copies.load(stage, places + std::size_t{stage} * tile_bytes, run.from + loaded, bytes_at(loaded));
            loaded += step;
        };
        for (unsigned stage = 0; stage < stages; ++stage) load(stage);
        unsigned stage = 0;
        for (auto at = start; at < run.bytes; at += step) {
            copies.await_load(stage);
            copies.store(run.to + at, places + std::size_t{stage} * tile_bytes, bytes_at(at));
            if (at != start) {
                copies.await_read<1>();  // all but the newest store
                load(stage == 0 ? stages - 1 : stage - 1);
            }
            stage = stage + 1 == stages ? 0 : stage + 1;
        }
        copies.await_stores();
    }
};

namespace {

BulkCopy body_of(const Setting& setting) {
    return {.tile_bytes = setting.number("tile_bytes"),
            .stages = setting.number("stages"),
            .lines = setting.word("l2") == "evict_first" ? L2Policy::evict_first : L2Policy::none};
}

Operation operation(const Setting& setting) {
    const auto body = body_of(setting);
    const auto bytes = setting.bytes();
    return copying(body, grid_at_once<BulkCopy>(setting, bytes, body.tile_bytes, body.shared_bytes(), 2 * bytes),
                   bytes);
}

std::string why_skipped(const Setting& setting) {
    const auto shared_bytes = body_of(setting).shared_bytes();
    const auto why = why_no_stages(setting, shared_bytes);
    return why.empty() ? why_copies_not_at_once<BulkCopy>(setting, shared_bytes) : why;
}

// By default about 64 KiB are in flight on a multiprocessor, and every GPU that supports bulk copies has enough shared
// memory for that.
const RegisteredKernel registered{
    {.name = "copy/device_to_device/tma_bulk",
     .summary = "copy within the memory of one GPU through shared memory in bulk (TMA)",
     .group = {"other ways", Group::other_ways},
     .role = {.campaign = "rounds", .inspected = true},
     .parameters = {{"tile_bytes", {8192}}, {"stages", {6}}, {"blocks_each", {2}}, {"l2", {"plain"}}},
     .full = {{"tile_bytes", {8192, 16384, 32768}},
              {"stages", {3, 4, 6}},
              {"blocks_each", {1, 2, 4}},
              {"l2", {"plain", "evict_first"}}},
     .allowed = allowed_stages(0, 131072),
     .tuning = "copy_by_tma_bulk",
     .compute_capability = 90,
     .why_skipped = why_skipped,
     .operation = operation}};

}  // namespace
}  // namespace tocuda::kernels::bulk_copy
