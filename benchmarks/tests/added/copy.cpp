// tocuda, Apache-2.0.
// A copy that is added by this file alone: see added_test.py.
#include "kernels/launching.hpp"

namespace tocuda::added::copy {
namespace {

struct Bytewise {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    static constexpr Grid grid(std::size_t bytes) { return grid_over(bytes, 16 * threads, threads, 2 * bytes); }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_bytes(block, to, from, bytes);
    }
};

const RegisteredKernel registered{
    {.name = "added/copy",
     .summary = "copy byte by byte",
     .role = {.sheet = {{.order = 1,
                         .section = "added",
                         .words = "a copy of 64 KiB",
                         .having = "bytes=65536",
                         .figure = "memory_bytes_per_second",
                         .touched = true},
                        {.order = 2, .section = "added", .words = "a copy of 128 KiB", .having = "bytes=131072"},
                        {.order = 3, .section = "added", .words = "a copy of 256 KiB", .having = "bytes=262144"}},
              .characterise = {"bytes=64KiB"}},
     .parameters = {{"bytes", {65536, 131072, 262144}}},
     .quick = {},
     .operation = [](const Setting& setting) { return copying(Bytewise{}, setting.bytes()); }}};

}  // namespace
}  // namespace tocuda::added::copy
