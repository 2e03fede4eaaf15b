// tocuda, Apache-2.0.
// Tests the chase under load: what the readers beside it read, and what the flags say at the end.
#include "kernels/loaded_chase.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

constexpr Beside small{.chunks = 200, .multiprocessors = 4};
constexpr std::size_t working_set = 64 * line_bytes;

struct Loaded {
    explicit Loaded(ThreadOrder order) {
        write_payload(std::span(from.get(), small.chunks * Beside::chunk_bytes), 0);
        write_cycle(Stream(), memory.get(), cycle.data(), cycle.size());
        auto beside = small;
        beside.from = from.get();
        launches() = {.order = order};
        launch_loaded_chase(Stream(), {.memory = memory.get(), .working_set = working_set, .first = cycle.front()},
                            beside, 0, &flags, &result, read.data(), sums.data());
        launches() = {};
    }

    std::vector<std::uint64_t> cycle = random_cycle(working_set, 5);
    AlignedBytes memory = aligned_bytes(working_set);
    AlignedBytes from = aligned_bytes(small.chunks * Beside::chunk_bytes);
    ChaseFlags flags{};
    Chased result{};
    std::vector<ReadBeside> read = std::vector<ReadBeside>(small.readers());
    std::vector<std::uint32_t> sums = std::vector<std::uint32_t>(small.threads());
};

TEST(LoadedChase, GoesWhereItsLinksSayInAnyOrder) {
    for (const auto order : thread_orders) {
        const Loaded loaded(order);
        const auto expected = Chased::expected(loaded.memory.get(), loaded.cycle);
        EXPECT_EQ(loaded.result.end, expected.end) << word(order);
        EXPECT_EQ(loaded.result.sum, expected.sum) << word(order);
        EXPECT_EQ(loaded.flags.ended, 1U);
        EXPECT_EQ(loaded.flags.begun, small.blocks());
    }
}

TEST(LoadedChase, EachReaderReadsAChunkOfItsOwn) {
    const Loaded loaded(ThreadOrder::ascending);
    std::set<std::size_t> chunks;
    for (unsigned reader = 0; reader < small.readers(); ++reader) {
        EXPECT_EQ(loaded.read[reader].chunks, 1U);
        const auto chunk = chunk_of(small, reader, 0);
        chunks.insert(chunk);
        std::uint32_t expected = 0;
        for (auto word = chunk * 512; word < (chunk + 1) * 512; ++word)
            expected += static_cast<std::uint32_t>(scrambled(word)) + static_cast<std::uint32_t>(scrambled(word) >> 32);
        std::uint32_t found = 0;
        for (unsigned lane = 0; lane < Beside::warp; ++lane) found += loaded.sums[reader * Beside::warp + lane];
        EXPECT_EQ(found, expected) << reader;
    }
    EXPECT_EQ(chunks.size(), small.readers());
}

TEST(LoadedChase, ReadersThatDidNotSeeItsEndSaySo) {
    const Loaded loaded(ThreadOrder::ascending);  // one chunk each: too few to ask
    for (const auto& each : loaded.read) EXPECT_EQ(each.outlasted, 0U);
}

TEST(Beside, ReadersGoOnWhereOthersHaveBeen) {
    EXPECT_EQ(chunk_of(small, 0, 0), 0U);
    EXPECT_EQ(chunk_of(small, 95, 1), 191U);
    EXPECT_EQ(chunk_of(small, 0, 3), 288U % 200U);
}

}  // namespace
}  // namespace tocuda
