// tocuda, Apache-2.0.
// The rearranging copies on the CPU: misaligned, strided, transposed.
#include <gtest/gtest.h>

#include <numeric>

#include "kernels/copied_test.hpp"
#include "kernels/misaligned_copy.hpp"
#include "kernels/strided_copy.hpp"
#include "kernels/transposed_copy.hpp"

namespace tocuda {
namespace {

TEST(MisalignedCopy, EverySize) { EXPECT_EQ(wrong_size(MisalignedCopy{}, MisalignedCopy::grid), ""); }
TEST(MisalignedCopy, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(MisalignedCopy{}, MisalignedCopy::grid), ""); }
TEST(MisalignedCopy, EveryOffsetAtManySizes) {
    for (std::size_t from = 1; from < 16; ++from)
        for (const std::size_t bytes : {16, 31, 32, 47, 48, 64, 16384, 16385, 16400, 16415, 50'021})
            EXPECT_EQ(wrong_copy(MisalignedCopy{}, MisalignedCopy::grid(bytes), bytes, {0, from}, ThreadOrder::seeded),
                      "")
                << from;
}
TEST(MisalignedCopy, EndsOfMoreThanFourGiElements) {
    const auto tile = std::size_t{MisalignedCopy::threads} * MisalignedCopy::in_flight * sizeof(Vector16);
    const auto bytes = (std::size_t{1} << 36) + 3 * tile;
    // The first block also copies the bytes before the first whole source vector, and the tail.
    const auto grid = MisalignedCopy::grid(bytes);
    const Reserved source(bytes + 64);
    const Reserved target(bytes + 64);
    ASSERT_TRUE(source.get() != nullptr && target.get() != nullptr) << "not enough address space";
    auto* from = source.get() + 3;
    for (std::size_t i = 0; i < tile; ++i) from[i] = copied_payload(i) | std::byte{1};
    for (auto i = bytes - tile; i < bytes; ++i) from[i] = copied_payload(i) | std::byte{1};
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, MisalignedCopy{}, target.get(),
                       static_cast<const std::byte*>(from), bytes);
    EXPECT_EQ(first_difference({from, tile}, {target.get(), tile}), std::nullopt);
    const auto last = bytes - tile + 16;  // one vector later than usual, because the head contains one
    EXPECT_EQ(first_difference({from + last, bytes - last}, {target.get() + last, bytes - last}), std::nullopt);
    EXPECT_EQ(target.get()[bytes], std::byte{0});
}

template <class Kernel, class Reference, class... More>
std::string wrong_words(Kernel kernel, const Grid& grid, std::size_t source_words, std::size_t words,
                        const Reference& reference, More... more) {
    std::vector<std::uint32_t> from(source_words);
    std::iota(from.begin(), from.end(), 1U);
    for (const auto order : thread_orders) {
        std::vector<std::uint32_t> found(words + 16, 0xC3C3C3C3U);
        auto expected = found;
        reference(std::span(expected).first(words), from);
        run_on_host(grid, order, kernel, found.data(), static_cast<const std::uint32_t*>(from.data()), more...);
        const auto difference = first_difference(std::as_bytes(std::span(expected)), std::as_bytes(std::span(found)));
        if (difference)
            return "word " + std::to_string(*difference / 4) + " of " + std::to_string(words) + ", " + word(order);
    }
    return "";
}

TEST(StridedCopy, EverySizeAndStride) {
    for (const std::size_t count : {0, 1, 15, 16, 17, 255, 2047, 2048, 2049, 10'007})
        for (const std::size_t stride : {1, 2, 3, 16, 33})
            EXPECT_EQ(wrong_words(
                          StridedCopy{}, StridedCopy::grid(count), strided_extent(count, stride), count,
                          [&](auto to, const auto& from) { strided_copy_reference(to, from, stride); }, count, stride),
                      "")
                << stride;
}

TEST(StridedCopy, EndsOfMoreThanFourGiElements) {
    const std::size_t count = (std::size_t{1} << 32) + 5;
    const std::size_t stride = 3;
    const Reserved source(strided_extent(count, stride) * 4);
    const Reserved target((count + 16) * 4);
    ASSERT_TRUE(source.get() != nullptr && target.get() != nullptr) << "not enough address space";
    auto* from = reinterpret_cast<std::uint32_t*>(source.get());
    auto* to = reinterpret_cast<std::uint32_t*>(target.get());
    from[0] = 7;
    from[(count - 1) * stride] = 11;
    const auto grid = StridedCopy::grid(count);
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, StridedCopy{}, to,
                       static_cast<const std::uint32_t*>(from), count, stride);
    EXPECT_EQ(to[0], 7U);
    EXPECT_EQ(to[count - 1], 11U);
    EXPECT_EQ(to[count], 0U);
}

class EveryShape : public testing::TestWithParam<Shape> {};
TEST_P(EveryShape, IsTransposed) {
    const auto shape = GetParam();
    EXPECT_EQ(wrong_words(
                  TransposedCopy{}, TransposedCopy::grid(shape), shape.rows * shape.columns, shape.rows * shape.columns,
                  [&](auto to, const auto& from) { transposed_copy_reference(to, from, shape); }, shape),
              "");
}
INSTANTIATE_TEST_SUITE_P(TransposedCopy, EveryShape,
                         testing::Values(Shape{0, 0}, Shape{1, 1}, Shape{1, 17}, Shape{15, 1}, Shape{16, 16},
                                         Shape{63, 65}, Shape{64, 64}, Shape{127, 131}, Shape{3, 257}, Shape{200, 130}),
                         [](const auto& each) {
                             return std::to_string(each.param.rows) + "_by_" + std::to_string(each.param.columns);
                         });

TEST(TransposedCopy, FewerBlocksThanTiles) {
    const Shape shape{200, 130};
    auto grid = TransposedCopy::grid(shape);
    grid.blocks = 2;
    EXPECT_EQ(wrong_words(
                  TransposedCopy{}, grid, 26'000, 26'000,
                  [&](auto to, const auto& from) { transposed_copy_reference(to, from, shape); }, shape),
              "");
}

TEST(TransposedCopy, EndsOfMoreThanFourGiElements) {
    const Shape shape{std::size_t{1} << 17, (std::size_t{1} << 15) + 64};
    const auto words = shape.rows * shape.columns;
    const Reserved source(words * 4);
    const Reserved target((words + 16) * 4);
    ASSERT_TRUE(source.get() != nullptr && target.get() != nullptr) << "not enough address space";
    auto* from = reinterpret_cast<std::uint32_t*>(source.get());
    auto* to = reinterpret_cast<std::uint32_t*>(target.get());
    from[1] = 7;
    from[words - 2] = 11;
    const auto grid = TransposedCopy::grid(shape);
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, TransposedCopy{}, to,
                       static_cast<const std::uint32_t*>(from), shape);
    EXPECT_EQ(to[shape.rows], 7U);
    EXPECT_EQ(to[words - 1 - shape.rows], 11U);
    EXPECT_EQ(to[words], 0U);
}

TEST(TransposedCopy, MatrixShapesByElementCount) {
    const auto is = [](std::size_t elements, std::size_t rows, std::size_t columns) {
        const auto shape = matrix_of(elements);
        return shape.rows == rows && shape.columns == columns;
    };
    EXPECT_TRUE(is(0, 0, 0));
    EXPECT_TRUE(is(1, 1, 1));
    EXPECT_TRUE(is(1024, 32, 32));
    EXPECT_TRUE(is(std::size_t{1} << 28, 1 << 14, 1 << 14));
    EXPECT_TRUE(is(std::size_t{1} << 29, 1 << 15, 1 << 14));
    EXPECT_TRUE(is(1031, 32, 32));
}

}  // namespace
}  // namespace tocuda
