// tocuda, Apache-2.0.
// How costs vary: by as much as the profile says, and identically for the same seed and process number.
#include "runtime/variation.hpp"

#include <cuda_runtime_api.h>

#include <cmath>

#include "runtime/on_machine_test.hpp"
#include "settings/simulation_file.hpp"

namespace tocuda::simulator {
namespace {

SimulatedGpu varying(double noise, double process_noise) {
    SimulatedGpu gpu;
    gpu.noise = noise;
    gpu.process_noise = process_noise;
    return gpu;
}

double first_cost(const SimulatedGpu& gpu, std::uint64_t process) { return Variation(gpu, 1, process, 0).of(1, 0); }

TEST(VariationOfCosts, DependsOnProcessNumber) {
    const auto gpu = varying(0, 0.05);
    EXPECT_EQ(first_cost(gpu, 3), first_cost(gpu, 3));
    EXPECT_NE(first_cost(gpu, 3), first_cost(gpu, 4));
}

TEST(VariationOfCosts, OfProcessIsConstantWithinIt) {
    const auto gpu = varying(0, 0.05);
    Variation variation(gpu, 1, 3, 0);
    const double first = variation.of(1, 0);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(variation.of(1, 0), first);
}

TEST(VariationOfCosts, HasRequestedDeviation) {
    double sum = 0;
    double squares = 0;
    constexpr int processes = 2000;
    const auto gpu = varying(0, 0.05);
    for (std::uint64_t process = 0; process < processes; ++process) {
        const double cost = first_cost(gpu, process);
        sum += cost;
        squares += cost * cost;
    }
    const double mean = sum / processes;
    EXPECT_NEAR(mean, 1, 0.005);
    EXPECT_NEAR(std::sqrt(squares / processes - mean * mean), 0.05, 0.005);
}

TEST(VariationOfCosts, HasOutliersAsOftenAsRequested) {
    SimulatedGpu gpu;
    gpu.outlier_probability = 0.1;
    gpu.outlier_factor = 3;
    Variation variation(gpu, 1, 0, 0);
    int outliers = 0;
    for (int i = 0; i < 2000; ++i) outliers += variation.of(1, 0) == 3 ? 1 : 0;
    EXPECT_NEAR(outliers, 200, 50);
}

TEST(VariationOfCosts, HasSlowProcessesAsOftenAsRequested) {
    SimulatedGpu gpu;
    gpu.slow_process_probability = 0.5;
    gpu.slow_process_factor = 2;
    int slow = 0;
    for (std::uint64_t process = 0; process < 1000; ++process) slow += first_cost(gpu, process) == 2 ? 1 : 0;
    EXPECT_NEAR(slow, 500, 60);
}

TEST(VariationOfCosts, DriftsWithTime) {
    SimulatedGpu gpu;
    gpu.drift_per_second = 0.01;
    Variation variation(gpu, 1, 0, 0);
    EXPECT_DOUBLE_EQ(variation.of(1, 0), 1);
    EXPECT_DOUBLE_EQ(variation.of(1, 10), 1.1);
}

TEST(ProcessNumber, RefusesAnythingButNumber) {
    ::setenv("TOCUDA_SIMULATION_PROCESS", "first", 1);
    EXPECT_EQ(process_of_environment(), std::nullopt);
    on_machine(one_gpu, [] {
        int count = 0;
        EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorUnknown);
    });
    ::setenv("TOCUDA_SIMULATION_PROCESS", "7", 1);
    EXPECT_EQ(process_of_environment(), 7U);
    ::unsetenv("TOCUDA_SIMULATION_PROCESS");
    EXPECT_EQ(process_of_environment(), 0U);
}

}  // namespace
}  // namespace tocuda::simulator
