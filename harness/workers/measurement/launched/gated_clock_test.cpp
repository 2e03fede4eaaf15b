// tocuda, Apache-2.0.
// Tests the device clock and the instruments on a simulated GPU with known costs. The simulated runtime is preloaded.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/cuda_instruments.hpp"
#include "measurement/host_time.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

// A kernel that takes this many seconds of the GPU.
struct Sleep {
    [[maybe_unused]] static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block&, double) const {}
    static double simulated_seconds(double seconds) { return seconds; }
};

void sleep_for(const Stream& stream, double seconds) { launch(stream, Grid{}, Sleep{}, seconds); }

void sleep_on(const Stream& stream, int milliseconds) { sleep_for(stream, 1e-3 * milliseconds); }

Queued sleeping(int milliseconds) {
    return {.operation = [milliseconds](const Stream& stream) { sleep_on(stream, milliseconds); }};
}

Trial trial_of(const Queued& queued) { return {.timing = queued}; }

constexpr double launch_seconds = 5e-6;  // the cost of any kernel in the profile

TEST(GatedClock, BatchTakesSumOfItsOperations) {
    const auto clock = gated_clock();
    EXPECT_NEAR(clock->batch(sleeping(3), 4).seconds, 4 * (3e-3 + launch_seconds), 1e-6);
}

TEST(GatedClock, ExcludesTimeOfQueueing) {
    const auto clock = gated_clock();
    const Queued waiting{.operation = [](const Stream& stream) {
        pass_host_seconds(0.25);
        sleep_on(stream, 1);
    }};
    EXPECT_NEAR(clock->batch(waiting, 3).seconds, 3 * (1e-3 + launch_seconds), 1e-6);
}

TEST(GatedClock, ReportsOperationThatWaitsBehindGateAndContinues) {
    const auto clock = gated_clock();
    const Queued waiting{.operation = [](const Stream& stream) { stream.synchronize(); }};
    try {
        clock->batch(waiting, 1);
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(),
                     "the gate opened by itself after 2 s: an operation queued behind it waits for the GPU");
    }
    EXPECT_NEAR(clock->batch(sleeping(1), 1).seconds, 1e-3 + launch_seconds, 1e-6);
}

TEST(GatedClock, HasLessPatienceThanWindowsHasWithAKernel) {
    EXPECT_EQ(gate_patience_ns("6.1.0-40-amd64"), 2'000'000'000U);
    EXPECT_EQ(gate_patience_ns("6.6.87.2-microsoft-standard-WSL2"), 1'000'000'000U);
    EXPECT_EQ(gate_patience_ns("4.4.0-19041-Microsoft"), 1'000'000'000U);
}

TEST(GatedClock, OpensGateIfOperationThrows) {
    const auto clock = gated_clock();
    const Queued waiting{.operation = [](const Stream&) { throw std::runtime_error("no"); }};
    EXPECT_THROW(clock->batch(waiting, 1), std::runtime_error);
    EXPECT_NEAR(clock->batch(sleeping(1), 1).seconds, 1e-3 + launch_seconds, 1e-6);
}

// The operation in the other direction takes `seconds_beside` in total, however it is cut.
Queued sleeping_beside(int milliseconds, double seconds_beside) {
    auto queued = sleeping(milliseconds);
    queued.beside = [seconds_beside](const Stream& stream, std::int64_t, std::int64_t of) {
        sleep_for(stream, seconds_beside / static_cast<double>(of) - launch_seconds);
    };
    return queued;
}

TEST(GatedClock, OtherDirectionOutlastsTimedOperations) {
    const auto clock = gated_clock();
    auto both = sleeping_beside(2, 2e-3);
    double queued = 0;
    both.beside = [&, whole = both.beside](const Stream& stream, std::int64_t part, std::int64_t of) {
        EXPECT_LT(part, of);
        EXPECT_GE(3 * of, 16) << "at least 16 pieces run beside the timed operations";
        queued += 1.0 / static_cast<double>(of);
        whole(stream, part, of);
    };
    const auto batch = clock->batch(both, 3);
    EXPECT_TRUE(batch.flags.empty());
    EXPECT_NEAR(queued, 6, 1e-9);
    EXPECT_NEAR(batch.seconds, 3 * (2e-3 + launch_seconds), 1e-6);
    EXPECT_NEAR(batch.beside, 3, 0.01);
}

TEST(GatedClock, CountsOperationsOfOtherDirectionThatRunMeanwhile) {
    const auto clock = gated_clock();
    for (const std::int64_t count : {1, 3, 15, 16, 40}) {
        EXPECT_NEAR(clock->batch(sleeping_beside(2, 5e-3), count).beside, 0.4 * static_cast<double>(count),
                    0.005 * static_cast<double>(count))
            << count;
        EXPECT_NEAR(clock->batch(sleeping_beside(3, 2e-3), count).beside, 1.5 * static_cast<double>(count),
                    0.005 * static_cast<double>(count))
            << count;
    }
}

TEST(GatedClock, FlagsOtherDirectionThatEndsEarly) {
    const auto clock = gated_clock();
    const auto batch = clock->batch(sleeping_beside(10, 1e-3), 2);
    EXPECT_EQ(batch.flags, Flags{"beside_ended_early"});
    EXPECT_NEAR(batch.beside, 4, 0.01) << "all that were queued";
}

TEST(GatedClock, HalvesBatchThatQueueDoesNotHold) {
    const auto clock = gated_clock();
    EXPECT_EQ(clock->queue_depth(), 512);
    EXPECT_TRUE(clock->batch(sleeping(1), 512).too_deep);
    EXPECT_EQ(clock->queue_depth(), 256);
    const auto batch = clock->batch(sleeping(1), 256);
    EXPECT_FALSE(batch.too_deep);
    EXPECT_NEAR(batch.seconds, 256 * (1e-3 + launch_seconds), 1e-4);
    EXPECT_EQ(clock->queue_depth(), 256);
}

TEST(GatedClock, StartsOperationsAtOnceWithoutGate) {
    const auto clock = gated_clock();
    clock->without_gate();
    const Queued waiting{.operation = [](const Stream& stream) {
        sleep_on(stream, 1);
        stream.synchronize();  // like a tool that runs one kernel at a time
    }};
    EXPECT_NEAR(clock->batch(waiting, 1).seconds, 1e-3 + launch_seconds, 1e-5);
    EXPECT_FALSE(clock->while_busy(waiting, 1, [] { FAIL() << "without a gate nothing keeps the GPU busy"; }));
    EXPECT_NEAR(clock->batch(sleeping_beside(1, 1e-3), 1).seconds, 1e-3 + launch_seconds, 1e-4);
}

TEST(GatedClock, LooksWhileGpuIsBusy) {
    const auto clock = gated_clock();
    bool looked = false;
    EXPECT_TRUE(clock->while_busy(sleeping(10), 1, [&] { looked = true; }));
    EXPECT_TRUE(looked);
    EXPECT_FALSE(clock->while_busy(sleeping(10), 1, [] { pass_host_seconds(0.02); }));
}

TEST(CudaInstruments, WaitsForSteadyClock) {
    const auto instruments = cuda_instruments(gated_clock);
    const auto began = host_seconds();
    EXPECT_EQ(instruments->settle(), Flags{});
    // In the profile the clock rises until 45 ms of work are done; it is steady after 20 ms without a change.
    EXPECT_GT(host_seconds() - began, 0.060);
    EXPECT_LT(host_seconds() - began, 0.150);
    EXPECT_EQ(instruments->telemetry().sm_clock_mhz, 1500);
}

TEST(CudaInstruments, WarmsIdleGpuUpAgain) {
    const auto instruments = cuda_instruments(gated_clock);
    static_cast<void>(instruments->settle());
    const auto warm = host_seconds();
    static_cast<void>(instruments->settle());
    EXPECT_LT(host_seconds() - warm, 0.005);
    pass_host_seconds(1);
    const auto cold = host_seconds();
    static_cast<void>(instruments->settle());
    EXPECT_GT(host_seconds() - cold, 0.020);
}

TEST(CudaInstruments, WarmsUpByFillingMemoryWithoutDeviceClock) {
    const auto instruments = cuda_instruments(nullptr);
    instruments->move_bytes(false);
    EXPECT_EQ(instruments->settle(), Flags{});
    EXPECT_THROW(instruments->batch(trial_of(sleeping(1)), 1), std::logic_error);
    EXPECT_FALSE(instruments->telemetry_during(trial_of(sleeping(1)), 1));
    instruments->move_bytes(true);
}

TEST(CudaInstruments, ReadTelemetryWhileGpuIsBusy) {
    const auto instruments = cuda_instruments(gated_clock);
    const auto during = instruments->telemetry_during(trial_of(sleeping(10)), 1);
    ASSERT_TRUE(during);
    EXPECT_EQ(during->link_generation, 5);
    EXPECT_EQ(during->link_width, 16);
}

TEST(CudaInstruments, SampleAndReadTelemetryWhileTheLoadRuns) {
    const auto instruments = cuda_instruments(gated_clock);
    bool runs = false;
    int begun = 0;
    bool lasts = true;
    Trial trial;
    trial.timing = Queued{.operation =
                              [&, asleep = sleeping(10)](const Stream& stream) {
                                  EXPECT_TRUE(runs);
                                  asleep.operation(stream);
                              },
                          .under =
                              [&](const std::function<void()>& timed) {
                                  ++begun;
                                  runs = true;
                                  timed();
                                  runs = false;
                                  return lasts;
                              }};
    EXPECT_EQ(instruments->batch(trial, 2).flags, Flags{});
    EXPECT_TRUE(instruments->telemetry_during(trial, 1));
    EXPECT_EQ(begun, 2);
    lasts = false;
    EXPECT_EQ(instruments->batch(trial, 2).flags, Flags{"load_ended_early"});
    EXPECT_FALSE(instruments->telemetry_during(trial, 1));
}

TEST(CudaInstruments, ClearedErrorIsNotLostContext) {
    const auto instruments = cuda_instruments(gated_clock);
    void* memory = nullptr;
    ASSERT_NE(cudaMalloc(&memory, std::size_t{1} << 50), cudaSuccess);
    EXPECT_FALSE(instruments->lost());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace tocuda
