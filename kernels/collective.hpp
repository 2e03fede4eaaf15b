// tocuda, Apache-2.0.
// The numbers that the GPUs of a collective operation send, and those that each of them must have received.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tocuda {

class Stream;

enum class CollectiveKind {
    all_reduce,
    reduce,
    reduce_scatter,
    all_gather,
    broadcast,
    all_to_all,
    send_receive,
    gather,
    scatter
};

// The numbers are whole and small, so that sums of them are exact in any order and in either type.
struct Collective {
    static constexpr unsigned most_ranks = 16;
    static constexpr unsigned most = 15;  // a contribution; none is 0, so that one that is missing shows

    CollectiveKind kind = CollectiveKind::all_reduce;
    bool small = false;  // bfloat16; else float
    unsigned ranks = 2;
    std::size_t numbers = 0;  // of the larger of what a rank sends and what it receives
    std::uint64_t drawn = 0;  // other numbers each time

    bool reduces() const { return kind <= CollectiveKind::reduce_scatter; }
    // Whether the numbers are as many parts as there are ranks.
    bool in_parts() const {
        return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_gather ||
               kind == CollectiveKind::all_to_all || kind >= CollectiveKind::gather;
    }
    // A broadcast comes from the last GPU; what goes to one GPU, or from one in parts, does so to or from the first,
    // which is timed: it is the last to end.
    unsigned root() const { return kind == CollectiveKind::broadcast ? ranks - 1 : 0; }
    std::size_t number_bytes() const { return small ? 2 : 4; }
    std::size_t part() const { return numbers / ranks; }
    std::size_t sent(unsigned rank) const {
        if (kind == CollectiveKind::scatter && rank != root()) return 0;
        return kind == CollectiveKind::all_gather || kind == CollectiveKind::gather ? part() : numbers;
    }
    std::size_t received(unsigned rank) const {
        if ((kind == CollectiveKind::reduce || kind == CollectiveKind::gather) && rank != root()) return 0;
        return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::scatter ? part() : numbers;
    }
};

// Both return before the numbers are written.
void write_sent(const Stream& stream, const Collective& of, unsigned rank, std::byte* to);
void write_received(const Stream& stream, const Collective& of, unsigned rank, std::byte* to);

}  // namespace tocuda
