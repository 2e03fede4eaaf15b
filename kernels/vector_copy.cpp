// tocuda, Apache-2.0.
// Copies 16 bytes at a time, like most tuned code, or 32 with 256-bit loads and stores (compute capability 10.0): four
// loads per thread before its first store.
#include "kernels/launching.hpp"

namespace tocuda::kernels::vector_copy {
namespace {

// If both addresses have the same offset within a vector, copies vectors between a head and a tail of single bytes;
// otherwise copies byte by byte.
template <class Vector, unsigned block_threads>
struct VectorCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = block_threads;
    static constexpr unsigned in_flight = 4;

    static constexpr Grid grid(std::size_t bytes) {
        return grid_over(bytes, threads * in_flight * sizeof(Vector), threads, 2 * bytes);
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector, in_flight, Hint::plain>(block, threads, to, from, bytes);
    }
};

const RegisteredKernel vector16{
    {.name = "copy/device_to_device/vector16",
     .summary = "copy within the memory of one GPU by a kernel, 16 bytes at a time",
     .group = {"other ways", Group::other_ways},
     .operation = [](const Setting& setting) { return copying(VectorCopy<Vector16, 512>{}, setting.bytes()); }}};

const RegisteredKernel vector32{
    {.name = "copy/device_to_device/vector32",
     .summary = "copy within the memory of one GPU by a kernel, 32 bytes at a time",
     .parameters = {{"bytes", {}}},
     .compute_capability = 100,
     .operation = [](const Setting& setting) { return copying(VectorCopy<Vector32, 256>{}, setting.bytes()); }}};

}  // namespace
}  // namespace tocuda::kernels::vector_copy
