// tocuda, Apache-2.0.
// Writes memory without reading it. The words depend on their index, so that no two lines of memory are equal.
#include <array>

#include "kernels/launching.hpp"

namespace tocuda::kernels::write {
namespace {

// Returns the vector written at this index.
constexpr Vector16 written_vector(std::size_t place) {
    const auto word = static_cast<std::uint32_t>(place) * 2654435761U ^ static_cast<std::uint32_t>(place >> 32);
    return {{word, word ^ 0x9e3779b9U, ~word, word + 0x7f4a7c15U}};
}

template <class Vector>
constexpr Vector written_at(std::size_t place) {
    if constexpr (sizeof(Vector) == sizeof(Vector16)) return written_vector(place);
    else return __builtin_bit_cast(Vector, (std::array{written_vector(2 * place), written_vector(2 * place + 1)}));
}

struct Expected {
    constexpr std::byte operator()(std::size_t i) const {
        return static_cast<std::byte>(written_vector(i / sizeof(Vector16)).words[i / 4 % 4] >> i % 4 * 8);
    }
};

// The target address is a multiple of the vector's size.
template <Hint hint, class Vector>
struct WriteAll {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * in_flight * sizeof(Vector), threads, bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, std::size_t bytes) const {
        const auto count = bytes / sizeof(Vector);
        auto* vectors = reinterpret_cast<Vector*>(to);
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile)
            for (unsigned i = 0; i < in_flight; ++i) {
                const auto place = start + block.thread + i * threads;
                if (place < count) store<hint>(vectors + place, written_at<Vector>(place));
            }
        if (block.block == 0 && block.thread < bytes % sizeof(Vector))
            to[count * sizeof(Vector) + block.thread] =
                static_cast<std::byte>(written_at<Vector>(count).words[block.thread / 4] >> block.thread % 4 * 8);
    }
};

struct Shape {
    Hint hint = Hint::plain;
    unsigned width = 16;  // of a store, in bytes

    bool operator==(const Shape&) const = default;
};
constexpr std::array shapes{Shape{Hint::plain, 16}, Shape{Hint::streaming_store, 16}, Shape{Hint::plain, 32},
                            Shape{Hint::streaming_store, 32}};

Operation operation(const Setting& setting) {
    const Shape shape{hint_of(setting.word("hint")), setting.number("width")};
    return compiled_for<shapes>(shape, [bytes = setting.bytes()]<std::size_t index>() -> Operation {
        using Body = WriteAll<shapes[index].hint, VectorOf<shapes[index].width>>;
        return [=](const Stream& stream, const Arrays& arrays) {
            launch(stream, Body::grid(bytes), Body{}, arrays[0], bytes);
        };
    });
}

const RegisteredKernel registered{
    {.name = "memory/write",
     .summary = "write the memory of a GPU and read nothing",
     .role = {.sheet = {{.order = 30,
                         .section = "GPU memory",
                         .words = "write",
                         .having = "hint=plain cache=resident",
                         .figure = "memory_bytes_per_second",
                         .touched = true}},
              .characterise = {"bytes=1GiB"},
              .campaign = "rounds"},
     .parameters = {{"hint", {"plain"}}, {"width", {16}}, {"cache", {"resident"}}},
     .full = {{"hint", {"plain", "streaming_store"}},
              {"width", values_of(loaded_widths)},
              {"cache", {"resident", "cold"}}},
     .allowed = {{"width", {.only = values_of(loaded_widths)}}},
     .why_skipped = why_not_wide,
     .arrays = [](const Setting& setting) -> ArraySizes {
         return {.bytes = {setting.bytes()}, .one_way = setting.bytes(), .touched = setting.bytes()};
     },
     .operation = operation,
     .fill = [](const Stream&, const Arrays&, const Setting&) {},
     .expected = [](const Stream& stream, std::byte* to,
                    const Setting& setting) { write_each<std::byte>(stream, to, setting.bytes(), Expected{}); }}};

}  // namespace
}  // namespace tocuda::kernels::write
