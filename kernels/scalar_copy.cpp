// tocuda, Apache-2.0.
// Copies one element of 1, 4 or 8 bytes per thread, as naive code does. Written out, to begin a kernel of your own from
// it; the other copies use copy_cut of tiles.hpp.
#include "kernels/launching.hpp"

namespace tocuda::kernels::scalar_copy {
namespace {

template <class Element>
struct ScalarCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * sizeof(Element), threads, 2 * bytes);
    }

    // Elements are copied only between addresses of the same alignment: what lies before the first and after the last
    // aligned one is copied byte by byte, or everything.
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto whole = cut<Element>(to, from, bytes);
        if (!whole.alike) return copy_bytes(block, to, from, bytes);
        auto* const target = reinterpret_cast<Element*>(to + whole.head);
        const auto* const source = reinterpret_cast<const Element*>(from + whole.head);
        const auto step = std::size_t{block.blocks} * threads;
        for (auto i = std::size_t{block.block} * threads + block.thread; i < whole.elements; i += step)
            target[i] = source[i];
        copy_edges(block, to, from, bytes, whole);
    }
};

Operation operation(const Setting& setting) {
    switch (setting.number("element_bytes")) {
        case 1:
            return copying(ScalarCopy<std::uint8_t>{}, setting.bytes());
        case 4:
            return copying(ScalarCopy<std::uint32_t>{}, setting.bytes());
        default:
            return copying(ScalarCopy<std::uint64_t>{}, setting.bytes());
    }
}

const RegisteredKernel registered{{.name = "copy/device_to_device/scalar",
                                   .summary = "copy within the memory of one GPU by a kernel, one element per thread",
                                   .parameters = {{"bytes", {}}, {"element_bytes", {4}}},
                                   .full = {{"element_bytes", {1, 4, 8}}},
                                   .allowed = {{"element_bytes", {.only = {1, 4, 8}}}},
                                   .operation = operation}};

}  // namespace
}  // namespace tocuda::kernels::scalar_copy
