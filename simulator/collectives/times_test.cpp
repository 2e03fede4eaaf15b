// tocuda, Apache-2.0.
// What collectives take: the time of the links between GPUs.
#include <sys/resource.h>

#include <atomic>
#include <functional>
#include <thread>

#include "collectives/ranks_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

float milliseconds(const Ranks& ranks, const std::function<ncclResult_t(const Rank&, int)>& call) {
    const cudaEvent_t began = new_event(), ended = new_event();
    EXPECT_EQ(cudaEventRecord(began, ranks[1].stream), cudaSuccess);
    grouped(ranks, call);
    EXPECT_EQ(cudaEventRecord(ended, ranks[1].stream), cudaSuccess);
    for (const Rank& r : ranks) EXPECT_EQ(cudaStreamSynchronize(r.stream), cudaSuccess);
    float passed = -1;
    EXPECT_EQ(cudaEventElapsedTime(&passed, began, ended), cudaSuccess);
    return passed;
}

TEST(CollectiveTimes, TakeTheTimeOfTheirLinks) {
    const auto slow =
        with(two_gpus,
             {{&GpuFigures::peer_bytes_per_second, 32'000}, {&GpuFigures::kernel_ns, 0}, {&GpuFigures::call_ns, 0}});
    on_machine(slow, [] {
        const Ranks ranks = two_ranks();
        const auto all_reduce = [](const Rank& r, int) {
            return ncclAllReduce(r.device, r.result(), 16, ncclFloat, ncclSum, r.communicator, r.stream);
        };
        EXPECT_FLOAT_EQ(milliseconds(ranks, all_reduce), 2) << "half of the sum, and the other half";
        EXPECT_FLOAT_EQ(milliseconds(ranks,
                                     [](const Rank& r, int) {
                                         return ncclAllGather(r.device, r.result(), 8, ncclFloat, r.communicator,
                                                              r.stream);
                                     }),
                        1);
        EXPECT_FLOAT_EQ(milliseconds(ranks,
                                     [](const Rank& r, int rank) {
                                         ncclSend(r.device, 16, ncclFloat, 1 - rank, r.communicator, r.stream);
                                         return ncclRecv(r.result(), 16, ncclFloat, 1 - rank, r.communicator, r.stream);
                                     }),
                        2);
        EXPECT_FLOAT_EQ(milliseconds(ranks,
                                     [](const Rank& r, int rank) {
                                         return rank == 1
                                                    ? ncclSend(r.device, 16, ncclFloat, 0, r.communicator, r.stream)
                                                    : ncclRecv(r.result(), 16, ncclFloat, 1, r.communicator, r.stream);
                                     }),
                        2)
            << "of the one that sends, too";
        for (const Rank& r : ranks) r.put({1});
        tocuda_simulation_clock_only(1);
        EXPECT_FLOAT_EQ(milliseconds(ranks, all_reduce), 2) << "also while nothing moves";
        tocuda_simulation_clock_only(0);
        for (const Rank& r : ranks) EXPECT_EQ(r.got(1), (Values{0}));
    });
}

long sleeps_of_this_thread() {
    rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw;
}

TEST(CollectiveTimes, WhoWaitsForManyDoesNotSleepAtEach) {
    on_machine(two_gpus, [] {
        const Ranks ranks = two_ranks();
        constexpr int many = 200;
        std::atomic<bool> held = true;
        const auto hold = [](void* state) {
            while (*static_cast<const std::atomic<bool>*>(state)) std::this_thread::yield();
        };
        EXPECT_EQ(cudaLaunchHostFunc(ranks[0].stream, hold, &held), cudaSuccess);
        for (int i = 0; i < many; ++i)
            grouped(ranks, [](const Rank& r, int) {
                return ncclAllReduce(r.device, r.result(), 16, ncclFloat, ncclSum, r.communicator, r.stream);
            });
        const long before = sleeps_of_this_thread();
        held = false;
        for (const Rank& r : ranks) EXPECT_EQ(cudaStreamSynchronize(r.stream), cudaSuccess);
        EXPECT_LT(sleeps_of_this_thread() - before, many / 2);
    });
}

TEST(CollectiveTimes, WaitForTheSlowestLinkOfTheirRing) {
    auto machine =
        with(two_gpus,
             {{&GpuFigures::peer_bytes_per_second, 32'000}, {&GpuFigures::kernel_ns, 0}, {&GpuFigures::call_ns, 0}});
    const auto all_reduce = [](const Rank& r, int) {
        return ncclAllReduce(r.device, r.result(), 16, ncclFloat, ncclSum, r.communicator, r.stream);
    };
    machine.links = {{.from = 0, .to = 1, .bytes_per_second = 8'000}};
    on_machine(machine, [&] {
        const Ranks ranks = two_ranks();
        EXPECT_FLOAT_EQ(milliseconds(ranks, all_reduce), 8);
        const auto send = [&](int to) {
            return milliseconds(ranks, [&](const Rank& r, int rank) {
                return rank == to ? ncclRecv(r.result(), 16, ncclFloat, 1 - rank, r.communicator, r.stream)
                                  : ncclSend(r.device, 16, ncclFloat, to, r.communicator, r.stream);
            });
        };
        EXPECT_FLOAT_EQ(send(1), 8) << "a message has its own link";
    });
    machine.peer_access = false;
    on_machine(with(machine, {{&GpuFigures::host_to_device_bytes_per_second, 16'000},
                              {&GpuFigures::device_to_host_bytes_per_second, 64'000}}),
               [&] { EXPECT_FLOAT_EQ(milliseconds(two_ranks(), all_reduce), 4) << "through the host"; });
}

}  // namespace
}  // namespace tocuda::simulator
