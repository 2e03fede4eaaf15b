// tocuda, Apache-2.0.
// The arithmetic of an out-of-memory text of the caching allocator, in every form that LibTorch has given it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/explanation.hpp"

namespace tocuda::doctor {

// What the text says, in bytes. LibTorch rounds to two decimals, so sums are exact to about 1 %.
struct MemoryTold {
    std::int64_t requested = 0;
    std::optional<std::int64_t> total{};
    std::optional<std::int64_t> free{};
    std::optional<std::int64_t> limit{};                         // a fraction of the memory that the program has set
    std::optional<std::int64_t> process{};                       // this process, with its context
    std::vector<std::pair<std::int64_t, std::int64_t>> named{};  // ids and bytes of the processes that the text names
    std::optional<std::int64_t> allocated{};                     // tensors
    std::optional<std::int64_t> private_pools{};                 // of them in the pools of CUDA graphs
    std::optional<std::int64_t> idle{};                          // reserved but unallocated
    bool expandable = false;                                     // expandable segments are on, as far as the text says
    bool windows = false;                                        // the text is from Windows
    bool cut = false;                                            // its end is missing
    bool old_form = false;  // of a version before 2.1, which refuses expandable_segments
};

// `at` is where the message begins.
MemoryTold memory_told(std::string_view text, std::size_t at);

// Adds figures, arithmetic, claims and remedies.
void explain_memory(const MemoryTold& memory, Explanation& told);

}  // namespace tocuda::doctor
