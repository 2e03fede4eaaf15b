// tocuda, Apache-2.0.
// Copies between addresses with different offsets within 16 bytes, still with 16-byte loads and stores: each stored
// vector is combined from the two source vectors that it straddles.
#include <algorithm>

#include "kernels/launching.hpp"

namespace tocuda::kernels::misaligned_copy {
namespace {

// The second vector is the first one of the neighbouring thread, so it comes from the cache. Nothing outside
// the source is read, not even up to the next multiple of 16: the edges are copied byte by byte.
struct MisalignedCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * in_flight * sizeof(Vector16), threads, 2 * bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto size = sizeof(Vector16);
        auto head = std::min(bytes, (size - reinterpret_cast<std::uintptr_t>(to) % size) % size);
        const auto past = static_cast<unsigned>((reinterpret_cast<std::uintptr_t>(from) + head) % size);
        if (past == 0) return copy_cut<Vector16, in_flight, Hint::plain>(block, threads, to, from, bytes);
        if (head < past) head += size;  // the first source vector would start before the source
        const auto aligned = head < bytes ? (bytes - head + past) / size : 0;  // whole source vectors after the head
        const auto count = aligned == 0 ? 0 : aligned - 1;
        if (count == 0) {
            if (block.block == 0) copy_singly(block, to, from, bytes);
            return;
        }
        realign(block, reinterpret_cast<Vector16*>(to + head), reinterpret_cast<const Vector16*>(from + head - past),
                past, count);
        copy_edges(block, to, from, bytes,
                   {.alike = false, .head = head, .elements = count, .tail = head + count * size});
    }

    // Returns the 16 bytes at offset `past` of these 32. Uses only constant array indices, because computed ones would
    // move the array out of registers.
    static constexpr Vector16 put_together(const Vector16& low, const Vector16& high, unsigned past) {
        const std::uint32_t all[8]{low.words[0],  low.words[1],  low.words[2],  low.words[3],
                                   high.words[0], high.words[1], high.words[2], high.words[3]};
        std::uint32_t by_eight[6]{};
        for (unsigned i = 0; i < 6; ++i) by_eight[i] = (past & 8) != 0 ? all[i + 2] : all[i];
        std::uint32_t by_four[5]{};
        for (unsigned i = 0; i < 5; ++i) by_four[i] = (past & 4) != 0 ? by_eight[i + 1] : by_eight[i];
        const auto bits = past % 4 * 8;
        Vector16 result{};
        for (unsigned i = 0; i < 4; ++i)
            result.words[i] = static_cast<std::uint32_t>((std::uint64_t{by_four[i + 1]} << 32 | by_four[i]) >> bits);
        return result;
    }

private:
    template <class Block>
    static constexpr void realign(const Block& block, Vector16* to, const Vector16* from, unsigned past,
                                  std::size_t count) {
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            Vector16 low[in_flight];
            Vector16 high[in_flight];
            if (start + tile <= count) {
                for (unsigned i = 0; i < in_flight; ++i) {
                    low[i] = from[first + i * threads];
                    high[i] = from[first + i * threads + 1];
                }
                for (unsigned i = 0; i < in_flight; ++i) to[first + i * threads] = put_together(low[i], high[i], past);
            } else {
                for (auto i = first; i < count; i += threads) to[i] = put_together(from[i], from[i + 1], past);
            }
        }
    }
};

const RegisteredKernel registered{
    {.name = "copy/device_to_device/misaligned",
     .summary =
         "copy within the memory of one GPU from an address `offset` bytes past a multiple of 16 to a multiple of 16",
     .parameters = {{"bytes", {}}, {"offset", {1}}},
     .full = {{"offset", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
              {"bytes", {std::int64_t{64} << 20, std::int64_t{1} << 30}}},
     .allowed = {{"offset", {.most = 127}}},
     .offset = [](const Setting& setting) -> std::size_t { return setting.number("offset"); },
     .operation = [](const Setting& setting) { return copying(MisalignedCopy{}, setting.bytes()); }}};

}  // namespace
}  // namespace tocuda::kernels::misaligned_copy
