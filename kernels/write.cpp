// tocuda, Apache-2.0.
// Writes memory without reading it. The words depend on their index, so that no two lines of memory are equal.
#include "kernels/launching.hpp"

namespace tocuda::kernels::write {
namespace {

// Returns the vector written at this index.
constexpr Vector16 written_vector(std::size_t place) {
    const auto word = static_cast<std::uint32_t>(place) * 2654435761U ^ static_cast<std::uint32_t>(place >> 32);
    return {{word, word ^ 0x9e3779b9U, ~word, word + 0x7f4a7c15U}};
}

struct Expected {
    constexpr std::byte operator()(std::size_t i) const {
        return static_cast<std::byte>(written_vector(i / sizeof(Vector16)).words[i / 4 % 4] >> i % 4 * 8);
    }
};

// The target address is a multiple of 16.
template <Hint hint>
struct WriteAll {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * in_flight * sizeof(Vector16), threads, bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, std::size_t bytes) const {
        const auto count = bytes / sizeof(Vector16);
        auto* vectors = reinterpret_cast<Vector16*>(to);
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile)
            for (unsigned i = 0; i < in_flight; ++i) {
                const auto place = start + block.thread + i * threads;
                if (place < count) store<hint>(vectors + place, written_vector(place));
            }
        if (block.block == 0 && block.thread < bytes % sizeof(Vector16))
            to[count * sizeof(Vector16) + block.thread] =
                static_cast<std::byte>(written_vector(count).words[block.thread / 4] >> block.thread % 4 * 8);
    }
};

template <Hint hint>
Operation writing(std::size_t bytes) {
    return [=](const Stream& stream, const Arrays& arrays) {
        launch(stream, WriteAll<hint>::grid(bytes), WriteAll<hint>{}, arrays[0], bytes);
    };
}

const RegisteredKernel registered{
    {.name = "memory/write",
     .summary = "write the memory of a GPU and read nothing",
     .parameters = {{"hint", {"plain"}}, {"cache", {"resident"}}},
     .full = {{"hint", {"plain", "streaming_store"}}, {"cache", {"resident", "cold"}}},
     .arrays = [](const Setting& setting) -> ArraySizes {
         return {.bytes = {setting.bytes()}, .one_way = setting.bytes(), .touched = setting.bytes()};
     },
     .operation =
         [](const Setting& setting) {
             return setting.word("hint") == "plain" ? writing<Hint::plain>(setting.bytes())
                                                    : writing<Hint::streaming_store>(setting.bytes());
         },
     .fill = [](const Stream&, const Arrays&, const Setting&) {},
     .expected = [](const Stream& stream, std::byte* to,
                    const Setting& setting) { write_each<std::byte>(stream, to, setting.bytes(), Expected{}); }}};

}  // namespace
}  // namespace tocuda::kernels::write
