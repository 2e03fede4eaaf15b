// tocuda, Apache-2.0.
// The device clock and the instruments on a simulated GPU, whose costs are known. The simulated runtime is preloaded.
#include "measurement/gated_clock.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "measurement/gpu/cuda_instruments.hpp"
#include "measurement/host_clock.hpp"
#include "measurement/launch.hpp"
#include "measurement/simulated_time.hpp"
#include "measurement/stream.hpp"

namespace tocuda {
namespace {

// Takes so many milliseconds of the GPU.
struct Sleep {
    [[maybe_unused]] static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block&, int) const {}
    static double simulated_seconds(int milliseconds) { return 1e-3 * milliseconds; }
};

void sleep_on(const Stream& stream, int milliseconds) { launch(stream, Grid{}, Sleep{}, milliseconds); }

Trial sleeping(int milliseconds) {
    Trial trial;
    trial.queue = [milliseconds](const Stream& stream) { sleep_on(stream, milliseconds); };
    return trial;
}

constexpr double launch_seconds = 5e-6;  // what any kernel costs in the profile

TEST(GatedClock, ABatchTakesWhatItsOperationsTake) {
    const auto clock = gated_clock();
    EXPECT_NEAR(clock->batch(sleeping(3), 4).seconds, 4 * (3e-3 + launch_seconds), 1e-6);
}

TEST(GatedClock, WhatTheHostTakesToQueueItDoesNotCount) {
    const auto clock = gated_clock();
    Trial trial;
    trial.queue = [](const Stream& stream) {
        pass_host_seconds(0.25);
        sleep_on(stream, 1);
    };
    EXPECT_NEAR(clock->batch(trial, 3).seconds, 3 * (1e-3 + launch_seconds), 1e-6);
}

TEST(GatedClock, WhatWaitsBehindTheGateIsSaidAndTheStreamGoesOn) {
    const auto clock = gated_clock();
    Trial trial;
    trial.queue = [](const Stream& stream) { stream.synchronize(); };
    try {
        clock->batch(trial, 1);
        FAIL() << "nothing was said";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "the gate opened by itself after 2 s: something that was queued behind it waits for the GPU");
    }
    EXPECT_NEAR(clock->batch(sleeping(1), 1).seconds, 1e-3 + launch_seconds, 1e-6);
}

TEST(GatedClock, AnOperationThatThrowsLeavesNoClosedGate) {
    const auto clock = gated_clock();
    Trial trial;
    trial.queue = [](const Stream&) { throw std::runtime_error("no"); };
    EXPECT_THROW(clock->batch(trial, 1), std::runtime_error);
    EXPECT_NEAR(clock->batch(sleeping(1), 1).seconds, 1e-3 + launch_seconds, 1e-6);
}

TEST(GatedClock, WhatGoesOnBesideOutlastsWhatIsTimed) {
    const auto clock = gated_clock();
    auto trial = sleeping(2);
    int queued = 0;
    trial.beside = [&](const Stream& stream) {
        ++queued;
        sleep_on(stream, 2);
    };
    const auto batch = clock->batch(trial, 3);
    EXPECT_TRUE(batch.flags.empty());
    EXPECT_EQ(queued, 6);
    EXPECT_NEAR(batch.seconds, 3 * (2e-3 + launch_seconds), 1e-6);
}

TEST(GatedClock, WhatEndsEarlyBesideIsAFlag) {
    const auto clock = gated_clock();
    auto trial = sleeping(10);
    trial.beside = [](const Stream& stream) { sleep_on(stream, 1); };
    EXPECT_EQ(clock->batch(trial, 2).flags, std::vector<std::string>{"beside_ended_early"});
}

TEST(GatedClock, LooksWhileTheGpuIsBusy) {
    const auto clock = gated_clock();
    bool looked = false;
    EXPECT_TRUE(clock->while_busy(sleeping(10), 1, [&] { looked = true; }));
    EXPECT_TRUE(looked);
    EXPECT_FALSE(clock->while_busy(sleeping(10), 1, [] { pass_host_seconds(0.02); }));
}

TEST(CudaInstruments, TheClockIsSteadyBeforeAnythingIsTimed) {
    const auto instruments = cuda_instruments(gated_clock);
    const auto began = host_seconds();
    EXPECT_EQ(instruments->settle(), std::vector<std::string>{});
    // It rises until 45 ms of work are done, as the profile has it; steady is 20 ms without a change.
    EXPECT_GT(host_seconds() - began, 0.060);
    EXPECT_LT(host_seconds() - began, 0.150);
    EXPECT_EQ(instruments->telemetry().sm_clock_mhz, 1500);
}

TEST(CudaInstruments, AGpuThatWasIdleIsWarmedUpAgain) {
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

TEST(CudaInstruments, WithoutADeviceClockFillingMemoryWarmsUp) {
    const auto instruments = cuda_instruments(nullptr);
    instruments->move_bytes(false);
    EXPECT_EQ(instruments->settle(), std::vector<std::string>{});
    EXPECT_THROW(instruments->batch(sleeping(1), 1), std::logic_error);
    EXPECT_FALSE(instruments->telemetry_during(sleeping(1), 1));
    instruments->move_bytes(true);
}

TEST(CudaInstruments, ReadWhileTheGpuIsBusy) {
    const auto instruments = cuda_instruments(gated_clock);
    const auto during = instruments->telemetry_during(sleeping(10), 1);
    ASSERT_TRUE(during);
    EXPECT_EQ(during->link_generation, 5);
    EXPECT_EQ(during->link_width, 16);
}

TEST(CudaInstruments, AnErrorThatIsOverIsNoLostContext) {
    const auto instruments = cuda_instruments(gated_clock);
    void* memory = nullptr;
    ASSERT_NE(cudaMalloc(&memory, std::size_t{1} << 50), cudaSuccess);
    EXPECT_FALSE(instruments->lost());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace tocuda
