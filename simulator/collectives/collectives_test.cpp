// tocuda, Apache-2.0.
// NCCL's functions between simulated GPUs, in one process and in two.
#include <atomic>

#include "collectives/ranks_test.hpp"
#include "collectives/reduction.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

TEST(Collectives, EachGivesItsResult) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        ranks[0].put({1, 2, 3, 4});
        ranks[1].put({10, 20, 30, 40});
        grouped(ranks, [](const Rank& r, int) {
            return ncclAllReduce(r.device, r.result(), 4, ncclFloat, ncclSum, r.communicator, r.stream);
        });
        for (const Rank& r : ranks) EXPECT_EQ(r.got(4), (Values{11, 22, 33, 44}));
        grouped(ranks, [](const Rank& r, int) {
            return ncclReduce(r.device, r.result(), 2, ncclFloat, ncclMax, 1, r.communicator, r.stream);
        });
        EXPECT_EQ(ranks[0].got(2), (Values{11, 22}));  // as before
        EXPECT_EQ(ranks[1].got(2), (Values{10, 20}));
        grouped(ranks, [](const Rank& r, int) {
            return ncclBroadcast(r.device, r.result(), 3, ncclFloat, 1, r.communicator, r.stream);
        });
        for (const Rank& r : ranks) EXPECT_EQ(r.got(3), (Values{10, 20, 30}));
        grouped(ranks, [](const Rank& r, int) {
            return ncclAllGather(r.device, r.result(), 2, ncclFloat, r.communicator, r.stream);
        });
        for (const Rank& r : ranks) EXPECT_EQ(r.got(4), (Values{1, 2, 10, 20}));
        grouped(ranks, [](const Rank& r, int) {
            return ncclReduceScatter(r.device, r.result(), 2, ncclFloat, ncclAvg, r.communicator, r.stream);
        });
        EXPECT_EQ(ranks[0].got(2), (Values{5.5, 11}));
        EXPECT_EQ(ranks[1].got(2), (Values{16.5, 22}));
        grouped(ranks, [](const Rank& r, int) {
            return ncclAlltoAll(r.device, r.result(), 1, ncclFloat, r.communicator, r.stream);
        });
        EXPECT_EQ(ranks[0].got(2), (Values{1, 10}));
        EXPECT_EQ(ranks[1].got(2), (Values{2, 20}));
    });
}

TEST(Collectives, MessagesOfGroupCross) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        ranks[0].put({1, 2});
        ranks[1].put({3, 4});
        grouped(ranks, [](const Rank& r, int rank) {
            for (int i = 0; i < 2; ++i) {
                EXPECT_EQ(ncclSend(r.device + i, 1, ncclFloat, 1 - rank, r.communicator, r.stream), ncclSuccess);
                EXPECT_EQ(ncclRecv(r.result() + i, 1, ncclFloat, 1 - rank, r.communicator, r.stream), ncclSuccess);
            }
            return ncclSuccess;
        });
        EXPECT_EQ(ranks[0].got(2), (Values{3, 4}));
        EXPECT_EQ(ranks[1].got(2), (Values{1, 2}));
    });
}

TEST(Collectives, ScaledSumsAndErrors) {
    on_machine(two_gpus, [] {
        Ranks ranks = two_ranks();
        ranks[0].put({1});
        ranks[1].put({3});
        for (Rank& r : ranks) r.stream = nullptr;  // the default stream of the communicator's device
        grouped(ranks, [](const Rank& r, int rank) {
            ncclRedOp_t scaled{};
            float factor = rank == 0 ? 2 : 10;
            EXPECT_EQ(ncclRedOpCreatePreMulSum(&scaled, &factor, ncclFloat, ncclScalarHostImmediate, r.communicator),
                      ncclSuccess);
            EXPECT_EQ(ncclAllReduce(r.device, r.result(), 1, ncclFloat, scaled, r.communicator, r.stream), ncclSuccess);
            EXPECT_EQ(ncclAllReduce(r.device, r.result(), 1, ncclDouble, scaled, r.communicator, r.stream),
                      ncclInvalidArgument);
            EXPECT_EQ(ncclRedOpDestroy(scaled, r.communicator), ncclSuccess);
            EXPECT_EQ(ncclRedOpDestroy(scaled, r.communicator), ncclInvalidArgument);
            return ncclSuccess;
        });
        EXPECT_EQ(ranks[1].got(1), (Values{32}));
        const Rank& r = ranks[0];
        EXPECT_EQ(ncclBroadcast(r.device, r.device, 1, ncclFloat, 2, r.communicator, r.stream), ncclInvalidArgument);
        EXPECT_EQ(ncclSend(r.device, 1, ncclFloat, 2, r.communicator, r.stream), ncclInvalidArgument);
        ASSERT_EQ(ncclCommDestroy(r.communicator), ncclSuccess);
        EXPECT_EQ(ncclCommDestroy(r.communicator), ncclInvalidArgument);
    });
}

TEST(Collectives, OfSeveralStreamsPairInOrderOfCalls) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        static std::atomic<bool> held = true;
        for (const Rank& r : ranks) r.put({1, 10});
        const auto hold = [](void*) {
            while (held) std::this_thread::yield();
        };
        ASSERT_EQ(cudaLaunchHostFunc(ranks[0].stream, hold, nullptr), cudaSuccess);  // on one rank only
        std::array<cudaStream_t, 2> others{};
        for (std::size_t i = 0; i < 2; ++i) {
            const Rank& r = ranks[i];
            ASSERT_EQ(cudaSetDevice(static_cast<int>(i)), cudaSuccess);
            others[i] = new_stream();
            ASSERT_EQ(ncclAllReduce(r.device, r.result(), 1, ncclFloat, ncclSum, r.communicator, r.stream),
                      ncclSuccess);
            ASSERT_EQ(ncclAllReduce(r.device + 1, r.result() + 1, 1, ncclFloat, ncclSum, r.communicator, others[i]),
                      ncclSuccess);
        }
        EXPECT_EQ(cudaStreamQuery(others[0]), cudaErrorNotReady);
        held = false;
        for (cudaStream_t stream : others) ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        for (const Rank& r : ranks) EXPECT_EQ(r.got(2), (Values{2, 20}));
    });
}

TEST(Collectives, AbortEndsWaiting) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
        const Rank& alone = ranks[0];
        ASSERT_EQ(ncclAllReduce(alone.device, alone.result(), 1, ncclFloat, ncclSum, alone.communicator, alone.stream),
                  ncclSuccess);
        EXPECT_EQ(cudaStreamQuery(alone.stream), cudaErrorNotReady);
        ASSERT_EQ(ncclCommAbort(alone.communicator), ncclSuccess);
        EXPECT_EQ(cudaStreamSynchronize(alone.stream), cudaSuccess);
        ncclResult_t error = ncclSuccess;
        ASSERT_EQ(ncclCommGetAsyncError(ranks[1].communicator, &error), ncclSuccess);
        EXPECT_EQ(error, ncclRemoteError);
    });
}

TEST(Collectives, CapturedOnesAreRepeated) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        std::array<cudaGraphExec_t, 2> graphs{};
        for (std::size_t i = 0; i < 2; ++i) {
            ASSERT_EQ(cudaSetDevice(static_cast<int>(i)), cudaSuccess);
            const Rank& r = ranks[i];
            graphs[i] = instantiated(captured(r.stream, [&] {
                ASSERT_EQ(ncclAllReduce(r.device, r.result(), 1, ncclFloat, ncclSum, r.communicator, r.stream),
                          ncclSuccess);
            }));
        }
        for (float value = 1; value < 4; ++value) {
            for (const Rank& r : ranks) r.put({value});
            for (std::size_t i = 0; i < 2; ++i) ASSERT_EQ(cudaGraphLaunch(graphs[i], ranks[i].stream), cudaSuccess);
            for (const Rank& r : ranks) EXPECT_EQ(r.got(1), (Values{2 * value}));
        }
    });
}

// The copies of pinned memory happen when they are due, so the collectives behind them are queued long before.
TEST(Collectives, QueuedBehindCopiesTakeWhatTheCopiesBring) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        constexpr int rounds = 10;
        float* pinned = nullptr;
        ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 4 * rounds * sizeof(float)), cudaSuccess);
        for (int i = 0; i < 2 * rounds; ++i) pinned[i] = static_cast<float>(i);
        for (int rank = 0; rank < 2; ++rank) {
            ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
            const Rank& r = ranks[static_cast<std::size_t>(rank)];
            for (int round = 0; round < rounds; ++round) {
                const float* from = pinned + 2 * round + rank;
                float* to = pinned + 2 * (rounds + round) + rank;
                ASSERT_EQ(cudaMemcpyAsync(r.device, from, 4, cudaMemcpyHostToDevice, r.stream), cudaSuccess);
                ASSERT_EQ(ncclAllReduce(r.device, r.result(), 1, ncclFloat, ncclSum, r.communicator, r.stream),
                          ncclSuccess);
                ASSERT_EQ(cudaMemcpyAsync(to, r.result(), 4, cudaMemcpyDeviceToHost, r.stream), cudaSuccess);
            }
        }
        for (const Rank& r : ranks) ASSERT_EQ(cudaStreamSynchronize(r.stream), cudaSuccess);
        for (int round = 0; round < rounds; ++round) {
            EXPECT_EQ(pinned[2 * (rounds + round)], static_cast<float>(4 * round + 1));
            EXPECT_EQ(pinned[2 * (rounds + round) + 1], static_cast<float>(4 * round + 1));
        }
    });
}

TEST(Collectives, ProcessesMeet) {
    ncclUniqueId id{};
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    const auto rank_of_two = [&](int rank) {
        on_machine(two_gpus, [&] {
            Rank r;
            r.prepare(rank);
            ASSERT_EQ(ncclCommInitRank(&r.communicator, 2, id, rank), ncclSuccess);
            for (int round = 0; round < 20; ++round) {
                r.put({static_cast<float>(rank + round), 1});
                ASSERT_EQ(ncclAllReduce(r.device, r.result(), 2, ncclFloat, ncclSum, r.communicator, r.stream),
                          ncclSuccess);
                EXPECT_EQ(r.got(2), (Values{static_cast<float>(2 * round + 1), 2}));
            }
            ncclComm_t alone = nullptr;
            ASSERT_EQ(ncclCommSplit(r.communicator, rank, 0, &alone, nullptr), ncclSuccess);
            int count = 0;
            ASSERT_EQ(ncclCommCount(alone, &count), ncclSuccess);
            EXPECT_EQ(count, 1);
        });
    };
    std::fflush(nullptr);
    const pid_t other = ::fork();
    rank_of_two(other == 0 ? 1 : 0);
    if (other == 0) ::_exit(testing::Test::HasFailure() ? 1 : 0);
    int status = -1;
    ::waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
}

template <typename Bits>
Bits sum(ncclDataType_t type, Bits one, Bits other) {
    Bits result{};
    reduce(type, ncclSum, {&one, &other}, 1, &result);
    return result;
}

TEST(Arithmetic, SmallFloatsRoundToNearest) {
    using Word = std::uint16_t;
    using Byte = std::uint8_t;
    EXPECT_EQ(sum<Word>(ncclFloat16, 0x3c00, 0x4000), 0x4200);   // 1 + 2 = 3
    EXPECT_EQ(sum<Word>(ncclFloat16, 0x6800, 0x3c00), 0x6800);   // 2048 + 1: ties to even
    EXPECT_EQ(sum<Word>(ncclFloat16, 0x6800, 0x4200), 0x6802);   // 2048 + 3
    EXPECT_EQ(sum<Word>(ncclFloat16, 0x7bff, 0x7bff), 0x7c00);   // beyond the largest: infinite
    EXPECT_EQ(sum<Word>(ncclFloat16, 0x0001, 0x0001), 0x0002);   // below the smallest normal one
    EXPECT_EQ(sum<Word>(ncclFloat16, 0xbc00, 0x3c00), 0x0000);   // -1 + 1
    EXPECT_EQ(sum<Word>(ncclBfloat16, 0x3f80, 0x4000), 0x4040);  // 1 + 2
    EXPECT_EQ(sum<Word>(ncclBfloat16, 0xc000, 0x3f80), 0xbf80);  // -2 + 1
    EXPECT_EQ(sum<Byte>(ncclFloat8e4m3, 0x38, 0x40), 0x44);      // 1 + 2
    EXPECT_EQ(sum<Byte>(ncclFloat8e5m2, 0x3c, 0x40), 0x42);
    EXPECT_EQ(sum<std::int8_t>(ncclInt8, 3, -5), -2);
    EXPECT_EQ(bytes_of(ncclFloat64), 8U);
}

}  // namespace
}  // namespace tocuda::simulator
