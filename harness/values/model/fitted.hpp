// tocuda, Apache-2.0.
// What `fit` found: whether a program's memory fits on GPUs, and where it needs most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/replayed.hpp"

namespace tocuda {

// The smallest memory of a GPU for LibTorch that carries the program.
struct FitBrink {
    std::string settings{};  // as in PYTORCH_ALLOC_CONF; empty: the default
    std::int64_t bytes = 0;
    std::optional<std::int64_t> failed_at_bytes{};  // the program itself ran out of memory there
    std::int64_t fails_above_bytes = 0;             // the largest of those above that failed in a replay; 0: none did
    std::int64_t flushes = 0;                       // so often the allocator gave back what it cached, to go on
    std::string basis{};                            // ran, replayed, guessed, "at least", "more than"
    bool went_on = false;                           // the program met an out of memory, and ended with 0
    bool ended_otherwise = false;                   // the program ended neither with 0 nor for lack of memory
};

struct FitPeak {
    std::int64_t device = 0;
    ReplayPeak recorded{};
    std::int64_t allocated_bytes = 0;  // blocks as the allocator rounds them
    std::int64_t reserved_bytes = 0;   // at most, of this device; not always at the same moment
};

// Memory of a GPU that LibTorch's allocator does not manage.
struct FitOutside {
    std::int64_t bytes = 0;
    std::int64_t uncertain_bytes = 0;  // by so much it can be wrong
    std::string source{};
};

struct FitHost {
    std::int64_t pageable_bytes = 0;  // at least; 0: not seen
    std::int64_t pinned_bytes = 0;
};

// Bases of verdicts that do not follow from the brink.
inline constexpr const char* ran_there = "ran there";
inline constexpr const char* failed_there = "failed there";
inline constexpr const char* went_on_there = "went on there";  // it met an out of memory, and ended with 0

// On GPUs with the same properties a program needs the same.
struct FitNeed {
    std::int64_t comfortable_bytes = 0;  // as much as the program takes where there is plenty, with what is outside
    std::vector<FitBrink> brink{};       // first with the program's own settings
    FitPeak peak{};
    FitOutside outside{};
    FitHost host{};
    std::int64_t steps = 0;      // of an optimizer
    std::int64_t processes = 0;  // that used a GPU
    bool asks = false;           // how much memory is free: it may take more where there is more
    std::vector<std::string> not_known{};
};

// What the program did on the GPU itself, with as much memory as that has.
struct FitOwnRun {
    bool survived = false;
    bool ran_out_of_memory = false;
    int code = 0;
    std::int64_t left_bytes = 0;
};

struct FitGpu {
    std::string name{};
    std::int64_t memory_bytes = 0;
    std::string verdict{};              // fits, tight, not, open
    std::int64_t left_bytes = 0;        // below zero: missing, beyond the brink
    std::string basis{};                // of the brink; or one of those above
    std::string because{};              // why it is open
    std::optional<std::size_t> need{};  // which of them; nullopt: the program did not end well, whatever the memory
};

// The largest value of a word in the command with which the program fits.
struct FitVaried {
    std::string gpu{};
    std::string name{};
    std::optional<std::int64_t> largest{};  // nullopt: not even the smallest
    std::int64_t bytes = 0;                 // comfortable, with that value, or with the smallest
    std::int64_t memory_bytes = 0;
    bool is_last = false;  // larger ones were not asked for
};

struct Fitted {
    std::vector<FitGpu> gpus{};
    std::vector<FitNeed> needs{};
    std::vector<FitVaried> varied{};
};

}  // namespace tocuda
