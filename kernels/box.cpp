// tocuda, Apache-2.0.
// The kernel that copies boxes, compiled for the GPU and for the CPU.
#include "kernels/box.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/tiles.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::box {

// What one group of neighbouring threads copies at a time: a row, or as much of a long row as a warp holds.
struct BoxPieces {
    unsigned lanes;   // threads of a group, a power of two
    unsigned of_row;  // pieces
    std::size_t all;

    static constexpr BoxPieces of(const Box& box, std::size_t element) {
        const auto elements = box.width / element;
        const auto lanes = std::bit_ceil(std::min<std::size_t>(elements, 32));
        const auto of_row = parts(elements, lanes);
        return {static_cast<unsigned>(lanes), static_cast<unsigned>(of_row), of_row * box.all_rows()};
    }
};

// Numbers of pieces fit into 32 bits, which a GPU divides faster than 64.
template <class Element>
struct BoxCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;
    BoxPieces pieces;

    static constexpr Touched touched(const Box& box, const BoxPlace& to, const BoxPlace& from) {
        return touched_by_copy(to.start, from.start, box.bytes());
    }

    template <class Block>
    constexpr void operator()(Block& block, Box box, BoxPlace to, BoxPlace from) const {
        const auto groups = threads / pieces.lanes;
        const auto step = std::size_t{block.blocks} * groups;
        const auto lane = block.thread % pieces.lanes;
        auto first = std::size_t{block.block} * groups + block.thread / pieces.lanes;
        for (; first < pieces.all; first += step * in_flight) {
            Element held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i)
                if (const auto* at = element(box, from, first + i * step, lane)) held[i] = *at;
            for (unsigned i = 0; i < in_flight; ++i)
                if (auto* at = element(box, to, first + i * step, lane)) *at = held[i];
        }
    }

private:
    constexpr Element* element(const Box& box, const BoxPlace& place, std::size_t piece, unsigned lane) const {
        if (piece >= pieces.all) return nullptr;
        const auto number = static_cast<unsigned>(piece);
        const auto row = number / pieces.of_row;
        const auto column = (std::size_t{number % pieces.of_row} * pieces.lanes + lane) * sizeof(Element);
        if (column >= box.width) return nullptr;
        const auto rows = static_cast<unsigned>(box.rows);
        return reinterpret_cast<Element*>(place.start + row / rows * place.slice + row % rows * place.pitch + column);
    }
};

struct alignas(4) [[gnu::may_alias]] Vector4 {
    std::uint32_t word;
};

template <class Element>
void copy(const Stream& stream, const Box& box, const BoxPlace& to, const BoxPlace& from, unsigned multiprocessors) {
    const BoxCopy<Element> body{BoxPieces::of(box, sizeof(Element))};
    const auto groups = body.threads / body.pieces.lanes;
    const auto most = parts(body.pieces.all, std::size_t{groups} * body.in_flight);
    const auto blocks = blocks_for(std::min<std::size_t>(most, std::size_t{multiprocessors} * 8));
    launch(stream, {.blocks = blocks, .threads = body.threads, .bytes_touched = 2 * box.bytes()}, body, box, to, from);
}

}  // namespace kernels::box

void launch_box_copy(const Stream& stream, const Box& box, const BoxPlace& to, const BoxPlace& from,
                     unsigned multiprocessors) {
    const auto distances = box.width | to.pitch | to.slice | from.pitch | from.slice |
                           reinterpret_cast<std::uintptr_t>(to.start) | reinterpret_cast<std::uintptr_t>(from.start);
    if (distances % sizeof(Vector16) == 0) kernels::box::copy<Vector16>(stream, box, to, from, multiprocessors);
    else kernels::box::copy<kernels::box::Vector4>(stream, box, to, from, multiprocessors);
}

std::string why_no_box_copy(const Box& box) {
    constexpr std::size_t most = std::numeric_limits<unsigned>::max();
    if (box.width % 4 != 0)
        return "for a kernel, a width that is a multiple of 4 is needed, not " + std::to_string(box.width);
    if (box.bytes() / 4 > most) return "for a kernel, at most " + std::to_string(4 * most) + " bytes are needed";
    return "";
}

}  // namespace tocuda
