// tocuda, Apache-2.0.
// Collectives that cannot be right: of bytes that were not computed, of ranks that disagree, and what is not simulated.
#include "collectives/ranks_test.hpp"
#include "simulator/schema/counts.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

void lose(const float* number) {
    const tocuda_touch lost{number, sizeof *number, 1};
    tocuda_simulation_not_computed("lost", nullptr, &lost, 1);
}

TEST(CollectiveFailures, WhatWasNotComputedIsNotOnOtherRanksEither) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        const auto& counts = *static_cast<SharedCounts*>(tocuda_simulation_counts());
        const auto reduce = [&] {
            grouped(ranks, [](const Rank& r, int) {
                return ncclAllReduce(r.device, r.result(), 1, ncclFloat, ncclSum, r.communicator, r.stream);
            });
        };
        lose(ranks[0].device);
        reduce();
        ranks[1].got(1);
        EXPECT_EQ(counts.read_back_not_computed, 1);
        grouped(ranks, [](const Rank& r, int rank) {
            return rank == 0 ? ncclSend(r.device, 1, ncclFloat, 1, r.communicator, r.stream)
                             : ncclRecv(r.device, 1, ncclFloat, 0, r.communicator, r.stream);
        });
        ranks[0].put({1});
        reduce();
        ranks[0].got(1);
        EXPECT_EQ(counts.read_back_not_computed, 2) << "rank 1 passes on what it received";
        ranks[1].put({1});
        reduce();
        for (const Rank& r : ranks) EXPECT_EQ(r.got(1), Values{2});
        EXPECT_EQ(counts.read_back_not_computed, 2) << "overwritten";
    });
}

TEST(CollectiveFailures, WhatWasNotComputedStaysSoInPlace) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        lose(ranks[0].result());
        grouped(ranks, [](const Rank& r, int) {
            return ncclAllReduce(r.result(), r.result(), 1, ncclFloat, ncclSum, r.communicator, r.stream);
        });
        const auto& counts = *static_cast<SharedCounts*>(tocuda_simulation_counts());
        ranks[0].got(1);
        EXPECT_EQ(counts.read_back_not_computed, 1);
        grouped(ranks, [](const Rank& r, int) {
            return ncclAllReduce(r.device, r.result(), 1, ncclFloat, ncclSum, r.communicator, r.stream);
        });
        ranks[0].got(1);
        EXPECT_EQ(counts.read_back_not_computed, 1) << "overwritten";
    });
}

TEST(CollectiveFailures, RanksThatDisagreeAboutSizeAbort) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        constexpr std::size_t many = 100000;
        std::array<void*, 2> large{};
        for (int i = 0; i < 2; ++i) {
            ASSERT_EQ(cudaSetDevice(i), cudaSuccess);
            ASSERT_EQ(cudaMalloc(&large.at(static_cast<std::size_t>(i)), many * sizeof(float)), cudaSuccess);
        }
        const auto reduce = [&](std::size_t first, std::size_t second) {
            grouped(ranks, [&](const Rank& r, int rank) {
                void* memory = large.at(static_cast<std::size_t>(rank));
                return ncclAllReduce(memory, memory, rank == 0 ? first : second, ncclFloat, ncclSum, r.communicator,
                                     r.stream);
            });
        };
        reduce(many, many);  // what it leaves behind must not pass for a part of the next
        reduce(1, many);
        for (const Rank& r : ranks) EXPECT_EQ(cudaStreamSynchronize(r.stream), cudaSuccess);
        for (const Rank& r : ranks) {
            ncclResult_t error = ncclSuccess;
            ASSERT_EQ(ncclCommGetAsyncError(r.communicator, &error), ncclSuccess);
            EXPECT_EQ(error, ncclRemoteError);
        }
    });
}

TEST(CollectiveFailures, UnsupportedFunctionsAreRefusedAndCounted) {
    on_machine(two_gpus, [] {
        EXPECT_EQ(ncclCommWindowRegister(nullptr, nullptr, 0, nullptr, 0), ncclInvalidUsage);
        tocuda_simulation_state_t state{};
        state.version = 1;
        ASSERT_EQ(tocuda_simulation_state(&state), 0);
        EXPECT_EQ(state.unsupported_calls, 1U);
        EXPECT_STREQ(state.unsupported_names, "ncclCommWindowRegister");
    });
}

}  // namespace
}  // namespace tocuda::simulator
