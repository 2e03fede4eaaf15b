// tocuda, Apache-2.0.
// The kernels that copy boxes, on the CPU: every byte of a box, and no other.
#include "kernels/box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/payload.hpp"

namespace tocuda {
namespace {

constexpr std::byte untouched{0xC3};

// Memory that ends where the last row does, as the address sanitizer checks.
struct Rows {
    Rows(const Box& box, std::size_t pitch, std::size_t rows_of_slice)
        : place{.start = nullptr, .pitch = pitch, .slice = pitch * rows_of_slice},
          bytes(offset_of_row(box, place, box.all_rows() - 1) + box.width), memory(aligned_bytes(bytes)) {
        place.start = memory.get();
    }
    BoxPlace place;
    std::size_t bytes;
    AlignedBytes memory;
};

void expect_copied(const Box& box, std::size_t to_pitch, std::size_t from_pitch, ThreadOrder order) {
    const Rows to(box, to_pitch, box.rows + 2);
    const Rows from(box, from_pitch, box.rows);
    write_payload(std::span(from.memory.get(), from.bytes), 0);
    std::vector<std::byte> expected(to.bytes, untouched);
    std::copy(expected.begin(), expected.end(), to.memory.get());
    for (std::size_t row = 0; row < box.all_rows(); ++row)
        std::copy_n(from.memory.get() + offset_of_row(box, from.place, row), box.width,
                    expected.data() + offset_of_row(box, to.place, row));
    launches() = {.order = order};
    launch_box_copy(Stream(), box, to.place, from.place, 1);
    launches() = {};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to.memory.get()))
        << box.slices << " slices of " << box.rows << " rows of " << box.width << " bytes, " << word(order);
}

TEST(BoxCopy, MovesEachByteOfARowAndNoOther) {
    for (const std::size_t width : {4U, 12U, 16U, 20U, 64U, 80U, 512U, 528U, 4100U})
        for (const auto& box : {Box{width, 1, 1}, Box{width, 7, 1}, Box{width, 3, 5}, Box{width, 700, 2}})
            for (const auto order : thread_orders) expect_copied(box, width + 4 + width % 16, 2 * width, order);
}

TEST(BoxCopy, SaysWhatItCannotCopy) {
    EXPECT_EQ(why_no_box_copy({.width = 4, .rows = 3}), "");
    EXPECT_NE(why_no_box_copy({.width = 6, .rows = 3}), "");
    EXPECT_NE(why_no_box_copy({.width = 4, .rows = std::size_t{1} << 32}), "");
}

}  // namespace
}  // namespace tocuda
