// tocuda, Apache-2.0.
// Writes the numbers of collective operations, on the GPU or on the CPU.
#include "kernels/collective.hpp"

#include "kernels/launching.hpp"
#include "kernels/number_types.hpp"

namespace tocuda {
namespace kernels::collective {

constexpr unsigned contribution(const Collective& of, unsigned rank, std::size_t place) {
    return 1 + static_cast<unsigned>((scrambled(of.drawn + place) % Collective::most + rank) % Collective::most);
}

constexpr unsigned sum(const Collective& of, std::size_t place) {
    unsigned all = 0;
    for (unsigned rank = 0; rank < of.ranks; ++rank) all += contribution(of, rank, place);
    return all;
}

constexpr unsigned received(const Collective& of, unsigned rank, std::size_t place) {
    const auto part = of.numbers / of.ranks;
    switch (of.kind) {
        case CollectiveKind::all_reduce:
        case CollectiveKind::reduce:
            return sum(of, place);
        case CollectiveKind::reduce_scatter:
            return sum(of, rank * part + place);
        case CollectiveKind::all_gather:
        case CollectiveKind::gather:
            return contribution(of, static_cast<unsigned>(place / part), place % part);
        case CollectiveKind::broadcast:
            return contribution(of, of.root(), place);
        case CollectiveKind::scatter:
            return contribution(of, of.root(), rank * part + place);
        case CollectiveKind::all_to_all:
            return contribution(of, static_cast<unsigned>(place / part), rank * part + place % part);
        default:
            return contribution(of, (rank + of.ranks - 1) % of.ranks, place);
    }
}

template <class Number>
struct Numbers {
    Collective of;
    unsigned rank;
    bool as_received;

    constexpr Number operator()(std::size_t place) const {
        const auto number = static_cast<float>(as_received ? received(of, rank, place) : contribution(of, rank, place));
        if constexpr (sizeof(Number) == 2) return narrowed<Number>(number);
        else return number;
    }
};

void write(const Stream& stream, const Collective& of, unsigned rank, bool as_received, std::byte* to) {
    const auto count = as_received ? of.received(rank) : of.sent(rank);
    if (of.small) write_each<BFloat16>(stream, to, count, Numbers<BFloat16>{of, rank, as_received});
    else write_each<float>(stream, to, count, Numbers<float>{of, rank, as_received});
}

}  // namespace kernels::collective

void write_sent(const Stream& stream, const Collective& of, unsigned rank, std::byte* to) {
    kernels::collective::write(stream, of, rank, false, to);
}

void write_received(const Stream& stream, const Collective& of, unsigned rank, std::byte* to) {
    kernels::collective::write(stream, of, rank, true, to);
}

}  // namespace tocuda
