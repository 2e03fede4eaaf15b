// tocuda, Apache-2.0.
// The orders in which the CPU runs threads that a GPU runs at once. A correct kernel gives the same result in each.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace tocuda {

enum class ThreadOrder { ascending, descending, seeded };

inline constexpr std::array<ThreadOrder, 3> thread_orders{ThreadOrder::ascending, ThreadOrder::descending,
                                                          ThreadOrder::seeded};

constexpr const char* word(ThreadOrder order) {
    return order == ThreadOrder::ascending ? "ascending" : order == ThreadOrder::descending ? "descending" : "seeded";
}

// Returns each number below `count` once; the seeded order is the same on every machine.
std::vector<unsigned> in_order(ThreadOrder order, unsigned count);

// The pattern in shared memory before anything is written. It differs between the orders, so that no single value hides
// a read of unwritten memory.
constexpr std::byte unwritten(ThreadOrder order) {
    return order == ThreadOrder::ascending    ? std::byte{0xFB}
           : order == ThreadOrder::descending ? std::byte{0x7B}
                                              : std::byte{0xFF};
}

}  // namespace tocuda
