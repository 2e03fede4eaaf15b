// tocuda, Apache-2.0.
// Writes memory without reading it, by stores or in bulk (TMA). The words depend on their index, so that no two lines
// of memory are equal.
#include <array>

#include "kernels/launching.hpp"
#include "measurement/block.hpp"

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

// What is left behind the last whole vector. A word is taken by a number that the compiler knows, so that the vector
// stays in registers.
template <class Vector, class Block>
constexpr void write_tail(const Block& block, std::byte* to, std::size_t bytes) {
    const auto count = bytes / sizeof(Vector);
    if (block.block != 0 || block.thread >= bytes % sizeof(Vector)) return;
    const auto vector = written_at<Vector>(count);
    for (unsigned word = 0; word < sizeof(Vector) / sizeof(std::uint32_t); ++word)
        if (block.thread / 4 == word)
            to[count * sizeof(Vector) + block.thread] =
                static_cast<std::byte>(vector.words[word] >> block.thread % 4 * 8);
}

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
        write_tail<Vector>(block, to, bytes);
    }
};

// Each block fills tiles in shared memory with all threads, and one of them stores each in bulk. A tile has a place of
// its own until its store has read it. `tile_bytes` is a multiple of 128.
template <unsigned stages>
struct BulkWrite {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    unsigned tile_bytes = 8192;

    constexpr std::size_t shared_bytes() const { return std::size_t{stages} * tile_bytes; }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, std::size_t bytes) const {
        auto* const places = static_cast<std::byte*>(block.shared_array(shared_bytes(), 128));
        BulkCopies copies(nullptr);
        const auto whole = bytes / sizeof(Vector16) * sizeof(Vector16);
        unsigned stage = 0;
        for (auto at = std::size_t{block.block} * tile_bytes; at < whole;
             at += std::size_t{block.blocks} * tile_bytes) {
            if (block.thread == 0) copies.template await_read<stages - 1>();
            block.barrier();  // nothing reads the place any more
            auto* const place = places + std::size_t{stage} * tile_bytes;
            const auto left = whole - at;
            const auto filled = left < tile_bytes ? left : std::size_t{tile_bytes};
            for (std::size_t i = block.thread; i < filled / sizeof(Vector16); i += threads)
                reinterpret_cast<Vector16*>(place)[i] = written_vector(at / sizeof(Vector16) + i);
            BulkCopies::publish();
            block.barrier();
            if (block.thread == 0) copies.store(to + at, place, static_cast<std::uint32_t>(filled));
            stage = stage + 1 == stages ? 0 : stage + 1;
        }
        if (block.thread == 0) copies.await_stores();
        write_tail<Vector16>(block, to, bytes);
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

constexpr std::array stages_of_bulk{2U, 4U};

Operation operation_in_bulk(const Setting& setting) {
    return compiled_for<stages_of_bulk>(setting.number("stages"), [&]<std::size_t index>() -> Operation {
        using Body = BulkWrite<stages_of_bulk[index]>;
        const Body body{.tile_bytes = setting.number("tile_bytes")};
        const auto bytes = setting.bytes();
        const auto grid = grid_at_once<Body>(setting, bytes, body.tile_bytes, body.shared_bytes(), bytes);
        return [=](const Stream& stream, const Arrays& arrays) { launch(stream, grid, body, arrays[0], bytes); };
    });
}

std::string why_not_in_bulk(const Setting& setting) {
    const auto shared_bytes = std::size_t{setting.number("stages")} * setting.number("tile_bytes");
    if (auto why = why_no_stages(setting, shared_bytes); !why.empty()) return why;
    return why_not_at_once<BulkWrite<2>, std::byte*, std::size_t>(setting, shared_bytes);
}

ArraySizes only_the_target(const Setting& setting) {
    return {.bytes = {setting.bytes()}, .one_way = setting.bytes(), .touched = setting.bytes()};
}
void fill_nothing(const Stream&, const Arrays&, const Setting&) {}
void write_expected(const Stream& stream, std::byte* to, const Setting& setting) {
    write_each<std::byte>(stream, to, setting.bytes(), Expected{});
}

const RegisteredKernel registered{{.name = "memory/write",
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
                                   .arrays = only_the_target,
                                   .operation = operation,
                                   .fill = fill_nothing,
                                   .expected = write_expected}};

const RegisteredKernel registered_in_bulk{
    {.name = "memory/write_tma",
     .summary = "write the memory of a GPU in bulk (TMA) from shared memory, and read nothing",
     .parameters = {{"bytes", {}}, {"tile_bytes", {8192}}, {"stages", {4}}, {"blocks_each", {2}}},
     .full = {{"tile_bytes", {4096, 8192, 16384}}, {"stages", values_of(stages_of_bulk)}, {"blocks_each", {1, 2, 4}}},
     .allowed = {{"stages", {.only = values_of(stages_of_bulk)}},
                 {"tile_bytes", {.least = 128, .most = 65536, .multiple_of = 128}},
                 {"blocks_each", allowed_blocks_each}},
     .compute_capability = 90,
     .why_skipped = why_not_in_bulk,
     .arrays = only_the_target,
     .operation = operation_in_bulk,
     .fill = fill_nothing,
     .expected = write_expected}};

}  // namespace
}  // namespace tocuda::kernels::write
