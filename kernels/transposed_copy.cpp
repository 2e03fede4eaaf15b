// tocuda, Apache-2.0.
// Transposes a matrix of four-byte elements in square tiles that pass through shared memory.
#include <bit>

#include "kernels/launching.hpp"
#include "measurement/block.hpp"

namespace tocuda::kernels::transposed_copy {
namespace {

struct Shape {
    std::size_t rows = 0;
    std::size_t columns = 0;
};

// Returns a matrix of at most this many elements whose number of columns is the power of two nearest to a square. It
// has all elements if the count is divisible by that.
constexpr Shape matrix_of(std::size_t elements) {
    if (elements == 0) return {};
    const auto columns = std::size_t{1} << (std::bit_width(elements) - 1) / 2;
    return {.rows = elements / columns, .columns = columns};
}

// Rows of a tile are read and written in runs of 256 bytes. In shared memory a row is one element longer, so
// that the elements of a column are in different banks.
struct TransposedCopy {
    static constexpr bool has_barrier = true;
    static constexpr unsigned side = 64;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = side * side / threads;
    static constexpr unsigned pitch = side + 1;
    static constexpr unsigned rows_at_once = threads / side;

    static constexpr Grid grid(Shape shape) {
        return {.blocks = blocks_for(parts(shape.rows, side) * parts(shape.columns, side)),
                .threads = threads,
                .shared_bytes = std::size_t{side} * pitch * sizeof(std::uint32_t),
                .bytes_touched = 2 * shape.rows * shape.columns * sizeof(std::uint32_t)};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* to, const std::uint32_t* from, Shape shape) const {
        auto* tile = shared<std::uint32_t>(block, side * pitch);
        const auto across = parts(shape.columns, side);
        const auto tiles = across * parts(shape.rows, side);
        for (std::size_t number = block.block; number < tiles; number += block.blocks) {
            const auto row = number / across * side;
            const auto column = number % across * side;
            read(block, tile, from, {row, column}, shape);
            block.barrier();
            write(block, tile, to, {row, column}, shape);
            block.barrier();
        }
    }

private:
    struct Corner {
        std::size_t row;
        std::size_t column;
    };

    template <class Block>
    static constexpr void read(const Block& block, std::uint32_t* tile, const std::uint32_t* from, Corner corner,
                               Shape shape) {
        const auto x = block.thread % side;
        const auto y = block.thread / side;
        if (corner.column + x >= shape.columns) return;
        const auto* first = from + (corner.row + y) * shape.columns + corner.column + x;
        if (corner.row + side <= shape.rows) {
            std::uint32_t held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i) held[i] = first[i * rows_at_once * shape.columns];
            for (unsigned i = 0; i < in_flight; ++i) tile[(y + i * rows_at_once) * pitch + x] = held[i];
        } else {
            for (auto row = y; corner.row + row < shape.rows; row += rows_at_once)
                tile[row * pitch + x] = first[(row - y) * shape.columns];
        }
    }

    template <class Block>
    static constexpr void write(const Block& block, const std::uint32_t* tile, std::uint32_t* to, Corner corner,
                                Shape shape) {
        const auto x = block.thread % side;
        const auto y = block.thread / side;
        if (corner.row + x >= shape.rows) return;
        for (unsigned i = 0; i < in_flight; ++i) {
            const auto column = y + i * rows_at_once;
            if (corner.column + column < shape.columns)
                to[(corner.column + column) * shape.rows + corner.row + x] = tile[x * pitch + column];
        }
    }
};

// The rows of the target are the columns of the source.
struct Expected {
    Shape shape;
    constexpr std::uint32_t operator()(std::size_t i) const {
        return payload_word(i % shape.rows * shape.columns + i / shape.rows);
    }
};

Shape shape_of(const Setting& setting) { return matrix_of(setting.count<std::uint32_t>()); }

ArraySizes arrays(const Setting& setting) {
    const auto shape = shape_of(setting);
    const auto bytes = shape.rows * shape.columns * sizeof(std::uint32_t);
    return {.bytes = {bytes, bytes}, .one_way = bytes, .touched = 2 * bytes};
}

Operation operation(const Setting& setting) {
    return [shape = shape_of(setting)](const Stream& stream, const Arrays& arrays) {
        launch(stream, TransposedCopy::grid(shape), TransposedCopy{}, reinterpret_cast<std::uint32_t*>(arrays[0]),
               reinterpret_cast<const std::uint32_t*>(arrays[1]), shape);
    };
}

const RegisteredKernel registered{{.name = "copy/device_to_device/transposed",
                                   .summary = "transpose a matrix of four-byte elements within the memory of one GPU",
                                   .parameters = {{"bytes", {}}},
                                   .allowed = {{"bytes", {.least = sizeof(std::uint32_t)}}},
                                   .arrays = arrays,
                                   .operation = operation,
                                   .expected = [](const Stream& stream, std::byte* to, const Setting& setting) {
                                       const auto shape = shape_of(setting);
                                       write_each<std::uint32_t>(stream, to, shape.rows * shape.columns,
                                                                 Expected{shape});
                                   }}};

}  // namespace
}  // namespace tocuda::kernels::transposed_copy
