// tocuda, Apache-2.0.
// What `replay` found: whether the allocator did again what was recorded, and what it would have done otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tocuda {

struct ReplaySource {
    std::string sha256{};
    std::string settings{};  // as in PYTORCH_ALLOC_CONF; empty: the default
    std::int64_t events = 0;
    std::optional<bool> truncated{};  // most snapshots cannot say
    bool filtered = false;            // one that is known to be filtered is refused
    std::int64_t start_bytes = 0;     // reserved when the recording began
    bool ends_in_oom = false;
    std::optional<bool> stopped{};  // before the program's own end; a snapshot cannot say
};

struct ReplayDifference {
    std::int64_t number = 0;  // of the segment event, from 0
    std::string recorded{};   // empty: there was none
    std::string replayed{};
};

struct ReplaySame {
    std::int64_t segment_events = 0;
    std::int64_t matching = 0;
    bool reproduced = false;
    std::optional<ReplayDifference> first_difference{};
    std::int64_t reserved_peak_bytes = 0;  // of the recording
    std::vector<std::string> guesses{};
};

// A line of the recorded program, and what it had allocated of what was held.
struct ReplayLine {
    std::string line{};
    std::int64_t bytes = 0;
};

// Where the recorded program held most, in blocks as the allocator rounds them.
struct ReplayPeak {
    std::int64_t event = -1;             // after it; -1: when the recording began
    std::optional<std::int64_t> step{};  // of the optimizer, from 1, if steps were recorded
    std::string line{};                  // empty: not known
    std::int64_t blocks_bytes = 0;
    std::vector<ReplayLine> live{};  // the largest, as far as lines are known
    std::int64_t before_bytes = 0;   // held from before the recording
    std::int64_t without_line_bytes = 0;
};

struct ReplayOutOfMemory {
    std::int64_t event = 0;
    std::int64_t size = 0;
    std::string line{};  // of the recorded program; empty: not known
};

// The most that was allocated and reserved in each part of a replay, and the event at which the part ends.
struct ReplayCourse {
    std::vector<std::int64_t> events{};
    std::vector<std::int64_t> allocated_bytes{};
    std::vector<std::int64_t> reserved_bytes{};
};

struct ReplayRow {
    std::string torch{};
    std::string settings{};
    std::optional<std::int64_t> capacity_bytes{};  // nullopt: more than enough
    std::optional<bool> survived{};                // nullopt: the recording ends in out of memory, and this goes on
    std::optional<ReplayOutOfMemory> oom{};
    std::int64_t reserved_peak_bytes = 0;
    std::int64_t allocated_peak_bytes = 0;
    std::int64_t retries = 0;
    std::optional<ReplayCourse> course{};  // with more than enough memory
    std::string basis{};                   // exact, guessed
    std::vector<std::string> guesses{};
    // If the smallest memory that survives was asked for:
    std::optional<std::int64_t> smallest_bytes{};
    std::string smallest_basis{};                    // exact, guessed, "at least", "more than"
    std::optional<std::int64_t> smallest_retries{};  // there the allocator gave back what it cached so often
    std::vector<std::int64_t> fails_above_bytes{};   // larger ones that do not survive, of those tried
};

// An operator that takes memory in another way on a real GPU.
struct ReplayNote {
    std::string what{};  // cudnn, collectives
    std::string name{};  // of the operator
    std::string line{};  // of the program; empty: not known
};

struct Replayed {
    ReplaySource source{};
    std::string torch{};  // that replayed
    ReplaySame same{};
    ReplayPeak peak{};
    std::int64_t device = 0;
    std::int64_t steps = 0;  // of an optimizer, that were recorded
    std::vector<ReplayNote> notes{};
    std::vector<ReplayRow> rows{};  // of one setting together: first with more than enough memory
};

// The most that LibTorch counts as allocated: blocks with their ends, which are not split for less than 1 MiB.
inline std::int64_t allocated_peak(const Replayed& replayed) {
    std::int64_t most = replayed.peak.blocks_bytes;
    for (const auto& row : replayed.rows)
        if (!row.capacity_bytes && row.settings == replayed.source.settings && row.torch == replayed.torch)
            most = std::max(most, row.allocated_peak_bytes);
    return most;
}

struct ReplayRefused {
    int code = 0;
    std::string why{};
};

}  // namespace tocuda
