// tocuda, Apache-2.0.
// Tests the chosen sizes: chunks within their bounds, and parts that all threads can share.
#include <gtest/gtest.h>

#include "measurement/relay.hpp"

namespace tocuda {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(Cut, ChoosesChunkOfSixteenthWithinBounds) {
    EXPECT_EQ(cut_for(mebibyte, 4, 0).chunk_bytes, least_chunk);
    EXPECT_EQ(cut_for(16 * mebibyte, 4, 0).chunk_bytes, mebibyte);
    EXPECT_EQ(cut_for(16 * mebibyte + 5, 4, 0).chunk_bytes, mebibyte);
    EXPECT_EQ(cut_for(1024 * mebibyte, 4, 0).chunk_bytes, most_chunk);
}

TEST(Cut, UsesRequestedChunk) { EXPECT_EQ(cut_for(16 * mebibyte, 4, 100'000).chunk_bytes, 100'000U); }

TEST(Cut, CutsTwoPartsOfWholePagesPerThread) {
    EXPECT_EQ(cut_for(1024 * mebibyte, 8, 0).part_bytes, most_chunk / 16);
    EXPECT_EQ(cut_for(1024 * mebibyte, 3, 0).part_bytes % 4096, 0U);
}

TEST(Cut, PartIsNeverEmptyNorLargerThanChunk) {
    for (const std::size_t threads : {0, 1, 2, 12, 256})
        for (const std::size_t chunk : {0, 1, 100, 4096, 1 << 20}) {
            const auto cut = cut_for(64 * mebibyte, threads, chunk);
            EXPECT_GE(cut.part_bytes, 1U) << threads << " threads, chunks of " << chunk;
            EXPECT_LE(cut.part_bytes, cut.chunk_bytes) << threads << " threads, chunks of " << chunk;
        }
}

}  // namespace
}  // namespace tocuda
