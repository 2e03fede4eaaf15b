// tocuda, Apache-2.0.
// What collective operations must leave, against a simple reference on the CPU, and that each missing rank shows.
#include "kernels/collective.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "kernels/number_types.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

using Numbers = std::vector<float>;

Numbers numbers(const Collective& of, std::span<const std::byte> bytes) {
    Numbers all(bytes.size() / of.number_bytes());
    for (std::size_t i = 0; i < all.size(); ++i) {
        BFloat16 small{};
        if (of.small) std::memcpy(&small, &bytes[2 * i], 2);
        else std::memcpy(&all[i], &bytes[4 * i], 4);
        if (of.small) all[i] = widened_by_bits(small);
    }
    return all;
}

Numbers sent(const Collective& of, unsigned rank) {
    std::vector<std::byte> bytes(of.sent(rank) * of.number_bytes());
    write_sent(Stream(), of, rank, bytes.data());
    return numbers(of, bytes);
}

Numbers received(const Collective& of, unsigned rank) {
    std::vector<std::byte> bytes(of.received(rank) * of.number_bytes());
    write_received(Stream(), of, rank, bytes.data());
    return numbers(of, bytes);
}

// Without the rank `left_out` if it is one.
Numbers sum(const Collective& of, unsigned left_out) {
    Numbers all(of.numbers);
    for (unsigned rank = 0; rank < of.ranks; ++rank) {
        const auto one = sent(of, rank);
        for (std::size_t i = 0; i < all.size() && rank != left_out; ++i) all[i] += one[i];
    }
    return all;
}

Numbers part(const Numbers& of, const Collective& what, unsigned number) {
    const auto begin = of.begin() + static_cast<std::ptrdiff_t>(number * what.part());
    return {begin, begin + static_cast<std::ptrdiff_t>(what.part())};
}

Collective of(CollectiveKind kind, bool small = false, unsigned ranks = 4) {
    return {.kind = kind, .small = small, .ranks = ranks, .numbers = std::size_t{ranks} * 64, .drawn = 7};
}

TEST(Collective, SumsAreExactAndMissNoRank) {
    for (const bool small : {false, true})
        for (const unsigned ranks : {2U, 3U, Collective::most_ranks}) {
            const auto what = of(CollectiveKind::all_reduce, small, ranks);
            const auto whole = received(what, 1);
            EXPECT_EQ(whole, sum(what, ranks)) << ranks;
            for (unsigned rank = 0; rank < ranks; ++rank) {
                const auto less = sum(what, rank);
                for (std::size_t i = 0; i < less.size(); ++i) EXPECT_NE(whole[i], less[i]) << ranks;
            }
            const auto to_first = of(CollectiveKind::reduce, small, ranks);
            EXPECT_EQ(received(to_first, 0), sum(to_first, ranks)) << ranks;
            EXPECT_EQ(received(to_first, 1), Numbers()) << "only the first GPU gets anything";
            const auto parts = of(CollectiveKind::reduce_scatter, small, ranks);
            for (unsigned rank = 0; rank < ranks; ++rank)
                EXPECT_EQ(received(parts, rank), part(sum(parts, ranks), parts, rank));
        }
}

TEST(Collective, MovedNumbersComeFromTheRightRank) {
    const auto gather = of(CollectiveKind::all_gather), ring = of(CollectiveKind::send_receive),
               broadcast = of(CollectiveKind::broadcast), crossed = of(CollectiveKind::all_to_all);
    const auto gathered = of(CollectiveKind::gather), scattered = of(CollectiveKind::scatter);
    EXPECT_EQ(received(gathered, 1), Numbers()) << "only the first GPU gets anything";
    EXPECT_EQ(sent(scattered, 1), Numbers()) << "only the first GPU sends anything";
    for (unsigned rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(received(scattered, rank), part(sent(scattered, 0), scattered, rank));
        EXPECT_EQ(part(received(gathered, 0), gathered, rank), sent(gathered, rank));
        EXPECT_EQ(received(ring, rank), sent(ring, (rank + 3) % 4));
        EXPECT_EQ(received(broadcast, rank), sent(broadcast, broadcast.root()));
        for (unsigned from = 0; from < 4; ++from) {
            EXPECT_EQ(part(received(gather, rank), gather, from), sent(gather, from));
            EXPECT_EQ(part(received(crossed, rank), crossed, from), part(sent(crossed, from), crossed, rank));
            EXPECT_EQ(from == rank, sent(gather, from) == sent(gather, rank));
        }
    }
}

TEST(Collective, OtherNumbersAreDrawnEachTime) {
    auto what = of(CollectiveKind::all_reduce);
    const auto before = received(what, 0);
    what.drawn = 8;
    EXPECT_NE(received(what, 0), before);
}

}  // namespace
}  // namespace tocuda
