// tocuda, Apache-2.0.
// Copies through shared memory with cp.async, so that data in flight needs no registers.
#include "kernels/launching.hpp"
#include "measurement/block.hpp"

namespace tocuda::kernels::cp_async_copy {
namespace {

// Each thread has its own places in shared memory and does not wait for other threads.
struct CpAsyncCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;
    static constexpr std::size_t shared_bytes = std::size_t{threads} * in_flight * sizeof(Vector16);

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto pieces = cut<Vector16>(to, from, bytes);
        if (!pieces.alike) return copy_bytes(block, to, from, bytes);
        auto* places = shared<Vector16>(block, threads * in_flight) + block.thread;
        through(block, places, reinterpret_cast<Vector16*>(to + pieces.head),
                reinterpret_cast<const Vector16*>(from + pieces.head), pieces.elements);
        copy_edges(block, to, from, bytes, pieces);
    }

private:
    template <class Block>
    static constexpr void through(const Block& block, Vector16* places, Vector16* to, const Vector16* from,
                                  std::size_t count) {
        const auto step = std::size_t{block.blocks} * threads;
        auto stored = std::size_t{block.block} * threads + block.thread;
        auto begun = stored;
        AsynchronousCopies<in_flight> copies;
        const auto begin = [&](unsigned place) {
            if (begun < count) copies.begin(places + place * threads, from + begun);
            else copies.begin_nothing();
            begun += step;
        };
        for (unsigned place = 0; place < in_flight; ++place) begin(place);
        while (stored < count) {
            for (unsigned place = 0; place < in_flight; ++place) {
                copies.template await<in_flight - 1>();
                if (stored < count) to[stored] = places[place * threads];
                stored += step;
                begin(place);
            }
        }
    }
};

const RegisteredKernel registered{
    {.name = "copy/device_to_device/cp_async",
     .summary = "copy within the memory of one GPU through shared memory by cp.async",
     .parameters = {{"bytes", {}}, {"blocks_each", {4}}},
     .full = {{"blocks_each", {2, 4, 6, 8}}},
     .allowed = {{"blocks_each", allowed_blocks_each}},
     .compute_capability = 80,
     .why_skipped =
         [](const Setting& setting) { return why_copies_not_at_once<CpAsyncCopy>(setting, CpAsyncCopy::shared_bytes); },
     .operation =
         [](const Setting& setting) {
             constexpr auto tile_bytes = CpAsyncCopy::shared_bytes;
             const auto bytes = setting.bytes();
             return copying(CpAsyncCopy{}, grid_at_once<CpAsyncCopy>(setting, bytes, tile_bytes, tile_bytes, 2 * bytes),
                            bytes);
         }}};

}  // namespace
}  // namespace tocuda::kernels::cp_async_copy
