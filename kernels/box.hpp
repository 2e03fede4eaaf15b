// tocuda, Apache-2.0.
// A kernel that copies rows which are apart in memory, in slices which are apart: what a two- or three-dimensional copy
// of the runtime moves.
#pragma once

#include <cstddef>
#include <string>

namespace tocuda {

class Stream;

struct Box {
    std::size_t width = 1;  // bytes of a row
    std::size_t rows = 0;   // of a slice
    std::size_t slices = 1;

    constexpr std::size_t all_rows() const { return rows * slices; }
    constexpr std::size_t bytes() const { return width * all_rows(); }
};

// Where the rows of a box are. Between two slices there may be rows that do not belong to it.
struct BoxPlace {
    std::byte* start = nullptr;
    std::size_t pitch = 0;  // from a row to the next
    std::size_t slice = 0;  // from a slice to the next
};
constexpr std::size_t offset_of_row(const Box& box, const BoxPlace& place, std::size_t row) {
    return row / box.rows * place.slice + row % box.rows * place.pitch;
}
constexpr BoxPlace without_gaps(const Box& box, std::byte* start) { return {start, box.width, box.width * box.rows}; }

// Either place may be page-locked host memory or that of a GPU that the current one can access. Addresses, widths and
// distances must be multiples of 4; where all are multiples of 16, 16 bytes are copied at a time.
void launch_box_copy(const Stream& stream, const Box& box, const BoxPlace& to, const BoxPlace& from,
                     unsigned multiprocessors);
// Returns what is needed and what was found. Empty if the kernel can copy it.
std::string why_no_box_copy(const Box& box);

}  // namespace tocuda
