// tocuda, Apache-2.0.
// a = b + s c with doubles. Both sources are loaded in bulk through shared memory (TMA), so that data in flight needs
// no registers.
#include <algorithm>

#include "kernels/doubles.hpp"
#include "measurement/block.hpp"

namespace tocuda::kernels::bulk_triad {
namespace {

// Each block has `stages` tiles of each source in flight: one thread requests them, all threads compute. A tile
// of a source has `tile_bytes`, a multiple of 128. 2 to 32 stages.
struct BulkTriad {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    unsigned tile_bytes = 8192;
    unsigned stages = 4;

    constexpr std::size_t shared_bytes() const { return places_start() + std::size_t{2} * stages * tile_bytes; }

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        auto* barriers = shared<std::uint64_t>(block, stages);
        auto* places = static_cast<std::byte*>(block.shared_array(std::size_t{2} * stages * tile_bytes, alignment));
        BulkCopies copies(barriers);
        if (block.thread == 0) copies.begin(stages, 2);
        over_tiles(block, {a, b, c, count / 2 * sizeof(Pair)}, copies, places);
        if (count % 2 != 0 && block.block == 0 && block.thread == 0)
            a[count - 1] = b[count - 1] + stream_scalar * c[count - 1];
    }

private:
    static constexpr std::size_t alignment = 128;

    struct Run {
        double* a;
        const double* b;
        const double* c;
        std::size_t bytes;  // of each array, in whole pairs
    };

    constexpr std::size_t places_start() const { return parts(stages * sizeof(std::uint64_t), alignment) * alignment; }

    template <class Block>
    constexpr void over_tiles(Block& block, const Run& run, BulkCopies& copies, std::byte* places) const {
        const auto step = std::size_t{block.blocks} * tile_bytes;
        const auto start = std::size_t{block.block} * tile_bytes;
        const auto bytes_at = [&](std::size_t at) {
            return static_cast<std::uint32_t>(std::min(std::size_t{tile_bytes}, run.bytes - at));
        };
        const auto place_of = [&](unsigned stage) { return places + std::size_t{2} * stage * tile_bytes; };
        const auto load = [&](unsigned stage, std::size_t at) {
            if (block.thread != 0 || at >= run.bytes) return;
            copies.load(stage, place_of(stage), reinterpret_cast<const std::byte*>(run.b) + at, bytes_at(at));
            copies.load(stage, place_of(stage) + tile_bytes, reinterpret_cast<const std::byte*>(run.c) + at,
                        bytes_at(at));
        };
        for (unsigned stage = 0; stage < stages; ++stage) load(stage, start + stage * step);
        unsigned stage = 0;
        for (auto at = start; at < run.bytes; at += step) {
            if (block.thread == 0) copies.await_load(stage);
            block.barrier();  // makes the arrived data visible to all threads
            const auto* left = reinterpret_cast<const Pair*>(place_of(stage));
            const auto* right = reinterpret_cast<const Pair*>(place_of(stage) + tile_bytes);
            auto* to = reinterpret_cast<Pair*>(run.a) + at / sizeof(Pair);
            for (unsigned i = block.thread; i < bytes_at(at) / sizeof(Pair); i += threads)
                to[i] = triad_of(left[i], right[i]);
            block.barrier();  // no thread reads the tile any more
            load(stage, at + stages * step);
            stage = stage + 1 == stages ? 0 : stage + 1;
        }
    }
};

BulkTriad body_of(const Setting& setting) {
    return {.tile_bytes = setting.number("tile_bytes"), .stages = setting.number("stages")};
}

Operation operation(const Setting& setting) {
    const auto body = body_of(setting);
    const auto bytes = setting.count<double>() * sizeof(double);
    const auto grid = grid_at_once<BulkTriad>(setting, bytes, body.tile_bytes, body.shared_bytes(), 3 * bytes);
    return computing_triad(body, grid, setting.count<double>());
}

std::string why_skipped(const Setting& setting) {
    const auto shared_bytes = body_of(setting).shared_bytes();
    if (auto why = why_no_stages(setting, shared_bytes); !why.empty()) return why;
    return why_not_at_once<BulkTriad, double*, const double*, const double*, std::size_t>(setting, shared_bytes);
}

const RegisteredKernel registered{
    {.name = "memory/triad_tma",
     .summary =
         "a = b + s c with doubles in arrays of `bytes` each, BabelStream's Triad, from shared memory that is filled "
         "in bulk (TMA)",
     .parameters = {{"bytes", {}}, {"tile_bytes", {8192}}, {"stages", {3}}, {"blocks_each", {2}}},
     .full = {{"tile_bytes", {4096, 8192, 16384}}, {"stages", {3, 4}}, {"blocks_each", {1, 2, 4}}},
     .allowed = allowed_stages(sizeof(double), 65536),
     .tuning = "triad_by_tma",
     .compute_capability = 90,
     .why_skipped = why_skipped,
     .arrays = arrays_of_doubles<3>,
     .operation = operation,
     .fill = fill_with_numbers<bits_for_one_sum>,
     .expected = write_expected_triad}};

}  // namespace
}  // namespace tocuda::kernels::bulk_triad
