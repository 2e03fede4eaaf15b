// tocuda, Apache-2.0.
// Copies with as many blocks as the GPU runs at once: each block processes several tiles and loads the next one before
// it stores the last one.
#include "kernels/launching.hpp"

namespace tocuda::kernels::persistent_copy {
namespace {

// The tiles of a block. interleaved: every n-th tile for n blocks, so that all blocks advance through memory together.
// contiguous: one run per block.
enum class TileOrder { interleaved, contiguous };

// Holds two tiles in registers, so that a block has loads in flight while it stores.
template <Hint hint>
struct PersistentCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;
    static constexpr std::size_t tile = std::size_t{threads} * in_flight;  // vectors
    TileOrder order = TileOrder::interleaved;

    static constexpr Touched touched(const std::byte* to, const std::byte* from, std::size_t bytes) {
        return touched_by_copy(to, from, bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto pieces = cut<Vector16>(to, from, bytes);
        if (!pieces.alike) return copy_bytes(block, to, from, bytes);
        const auto whole = pieces.elements / tile * tile;
        auto* target = reinterpret_cast<Vector16*>(to + pieces.head);
        const auto* source = reinterpret_cast<const Vector16*>(from + pieces.head);
        whole_tiles(block, target, source, whole);
        if (block.block == block.blocks - 1) copy_rest(block, target + whole, source + whole, pieces.elements - whole);
        copy_edges(block, to, from, bytes, pieces);
    }

private:
    struct Held {
        Vector16 vectors[in_flight];
    };

    static constexpr Held loaded(const Vector16* from) {
        Held held;
        for (unsigned i = 0; i < in_flight; ++i) held.vectors[i] = load<hint>(from + i * threads);
        return held;
    }

    static constexpr void stored(Vector16* to, const Held& held) {
        for (unsigned i = 0; i < in_flight; ++i) store<hint>(to + i * threads, held.vectors[i]);
    }

    struct Run {
        std::size_t start;
        std::size_t end;
        std::size_t step;
    };

    template <class Block>
    constexpr Run run_of(const Block& block, std::size_t count) const {
        if (order == TileOrder::interleaved) return {block.block * tile, count, block.blocks * tile};
        const auto tiles = count / tile;
        return {tiles * block.block / block.blocks * tile, tiles * (block.block + 1) / block.blocks * tile, tile};
    }

    template <class Block>
    constexpr void whole_tiles(const Block& block, Vector16* to, const Vector16* from, std::size_t count) const {
        const auto [start, end, step] = run_of(block, count);
        auto at = start;
        if (at >= end) return;
        auto first = loaded(from + at + block.thread);
        while (at + step < end) {
            const auto second = loaded(from + at + step + block.thread);
            stored(to + at + block.thread, first);
            first = second;
            at += step;
        }
        stored(to + at + block.thread, first);
    }

    template <class Block>
    static constexpr void copy_rest(const Block& block, Vector16* to, const Vector16* from, std::size_t count) {
        for (std::size_t i = block.thread; i < count; i += threads) store<hint>(to + i, load<hint>(from + i));
    }
};

constexpr std::array hints{Hint::plain, Hint::streaming_store, Hint::streaming};

Operation operation(const Setting& setting) {
    const auto order = setting.word("order") == "interleaved" ? TileOrder::interleaved : TileOrder::contiguous;
    return compiled_for<hints>(hint_of(setting.word("hint")), [&]<std::size_t index>() {
        using Body = PersistentCopy<hints[index]>;
        const auto tile_bytes = Body::tile * sizeof(Vector16);
        return copying(Body{.order = order},
                       grid_at_once<Body>(setting, setting.bytes(), tile_bytes, 0, 2 * setting.bytes()),
                       setting.bytes());
    });
}

std::string why_skipped(const Setting& setting) {
    const auto hint = hint_of(setting.word("hint"));
    if (hint == Hint::plain) return why_copies_not_at_once<PersistentCopy<Hint::plain>>(setting, 0);
    if (hint == Hint::streaming) return why_copies_not_at_once<PersistentCopy<Hint::streaming>>(setting, 0);
    return why_copies_not_at_once<PersistentCopy<Hint::streaming_store>>(setting, 0);
}

// By default a block loads 32 KiB while it stores 32 KiB, so two blocks have 64 KiB of loads in flight on a
// multiprocessor.
const RegisteredKernel registered{
    {.name = "copy/device_to_device/persistent",
     .summary = "copy within the memory of one GPU by as many blocks as it runs at once",
     .group = {"other ways", Group::other_ways},
     .parameters = {{"blocks_each", {2}}, {"hint", {"streaming"}}, {"order", {"interleaved"}}},
     .full = {{"blocks_each", {1, 2}},
              {"hint", {"plain", "streaming_store", "streaming"}},
              {"order", {"interleaved", "contiguous"}}},
     .allowed = {{"blocks_each", allowed_blocks_each}},
     .tuning = "copy_by_persistent",
     .why_skipped = why_skipped,
     .operation = operation}};

}  // namespace
}  // namespace tocuda::kernels::persistent_copy
