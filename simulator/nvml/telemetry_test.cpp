// tocuda, Apache-2.0.
// The simulated NVML's changing figures follow the profile, by number of readings and by virtual time.
#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <vector>

#include "nvml/ask_test.hpp"
#include "runtime/on_machine_test.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

SimulatedMachine with_telemetry(SimulatedMachine machine, const std::vector<TelemetryLine>& lines) {
    machine.gpus.front().telemetry = lines;
    return machine;
}

void* first_gpu() {
    void* handle = nullptr;
    EXPECT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", 0U, &handle), 0);
    return handle;
}

unsigned sm_clock(void* gpu) {
    unsigned megahertz = 0;
    EXPECT_EQ(ask("nvmlDeviceGetClockInfo", gpu, 1U, &megahertz), 0);
    return megahertz;
}

unsigned number(const char* name, void* gpu) {
    unsigned value = 0;
    EXPECT_EQ(ask(name, gpu, &value), 0) << name;
    return value;
}

void work() {
    void* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, 1), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory, 1, 1), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(Readings, WithoutTelemetryAreFiguresOfProfile) {
    on_machine(with(one_gpu, {{&GpuFigures::clock_khz, 1980000},
                              {&GpuFigures::memory_clock_khz, 3201000},
                              {&GpuFigures::pcie_generation, 5},
                              {&GpuFigures::pcie_width, 16},
                              {&GpuFigures::power_limit_w, 700}}),
               [] {
                   void* gpu = first_gpu();
                   EXPECT_EQ(sm_clock(gpu), 1980U);
                   EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkGeneration", gpu), 5U);
                   EXPECT_EQ(number("nvmlDeviceGetMaxPcieLinkWidth", gpu), 16U);
                   EXPECT_EQ(number("nvmlDeviceGetPowerManagementLimit", gpu), 700000U);
                   unsigned value = 0;
                   EXPECT_EQ(ask("nvmlDeviceGetTemperature", gpu, 0, &value), 3) << "unknown";
               });
}

TEST(Readings, ClockRampsUpWithWork) {
    const auto machine =
        with_telemetry(one_gpu, {{.field = "sm_clock_mhz", .number = 345},
                                 {.moment = {.after_work = 0.01}, .field = "sm_clock_mhz", .number = 1980}});
    on_machine(machine, [] {
        void* gpu = first_gpu();
        EXPECT_EQ(sm_clock(gpu), 345U);
        work();
        EXPECT_EQ(sm_clock(gpu), 345U);
        EXPECT_EQ(tocuda_simulation_pass(0.01), 0);
        EXPECT_EQ(sm_clock(gpu), 1980U);
    });
}

TEST(Readings, LinkIsFastOnlyUnderLoad) {
    const auto machine = with_telemetry(with(one_gpu, {{&GpuFigures::pcie_generation, 5}}),
                                        {{.field = "pcie_generation", .number = 1},
                                         {.moment = {.while_busy = true}, .field = "pcie_generation", .number = 5}});
    on_machine(machine, [] {
        void* gpu = first_gpu();
        EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkGeneration", gpu), 1U);
        work();
        EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkGeneration", gpu), 5U);
        EXPECT_EQ(tocuda_simulation_pass(1), 0);
        EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkGeneration", gpu), 1U);
        EXPECT_EQ(number("nvmlDeviceGetMaxPcieLinkGeneration", gpu), 5U);
    });
}

TEST(Readings, ReasonsAndViolationsChangeAtGivenReading) {
    const TelemetryMoment second{.reading = 2};
    const auto machine =
        with_telemetry(one_gpu, {{.moment = second, .field = "reasons", .number = 0x48},
                                 {.moment = second, .field = "violation_ns.thermal", .number = 5000000}});
    on_machine(machine, [] {
        void* gpu = first_gpu();
        const auto reasons = [&](const char* name) {
            unsigned long long bits = ~0ULL;
            EXPECT_EQ(ask(name, gpu, &bits), 0);
            return bits;
        };
        EXPECT_EQ(reasons("nvmlDeviceGetCurrentClocksEventReasons"), 0U);
        EXPECT_EQ(reasons("nvmlDeviceGetCurrentClocksThrottleReasons"), 0x48U);
        struct {
            unsigned long long reference, violation;
        } time{};
        EXPECT_EQ(ask("nvmlDeviceGetViolationStatus", gpu, 1U, static_cast<void*>(&time)), 0);
        EXPECT_EQ(time.violation, 0U);
        EXPECT_EQ(ask("nvmlDeviceGetViolationStatus", gpu, 1U, static_cast<void*>(&time)), 0);
        EXPECT_EQ(time.violation, 5000000U);
    });
}

TEST(Readings, OtherProcessesAreListedAfterThisOne) {
    on_machine(with_telemetry(one_gpu, {{.field = "processes", .processes = {{77, 1000}}}}), [] {
        struct Process {
            unsigned pid;
            unsigned long long bytes;
            unsigned instances[2];
        };
        void* gpu = first_gpu();
        work();
        unsigned count = 0;
        EXPECT_EQ(ask("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, static_cast<Process*>(nullptr)), 7);
        ASSERT_EQ(count, 2U);
        std::vector<Process> all(2);
        ASSERT_EQ(ask("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, all.data()), 0);
        EXPECT_EQ(all[0].pid, static_cast<unsigned>(::getpid()));
        EXPECT_EQ(all[1].pid, 77U);
        EXPECT_EQ(all[1].bytes, 1000U);
    });
}

TEST(Readings, MayDifferByProcess) {
    for (const auto& [process, clock] : {std::pair{"1", 1980U}, std::pair{"2", 1500U}}) {
        ::setenv("TOCUDA_SIMULATION_PROCESS", process, 1);
        const auto machine =
            with_telemetry(one_gpu, {{.field = "sm_clock_mhz", .number = 1980},
                                     {.moment = {.process = 2}, .field = "sm_clock_mhz", .number = 1500}});
        on_machine(machine, [wanted = clock] { EXPECT_EQ(sm_clock(first_gpu()), wanted); });
    }
    ::unsetenv("TOCUDA_SIMULATION_PROCESS");
}

TEST(Readings, TakeVirtualTimeOfHost) {
    on_machine(with(one_gpu, {{&GpuFigures::management_ns, 20000}, {&GpuFigures::call_ns, 0}}), [] {
        int count = 0;
        ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
        void* gpu = first_gpu();
        for (int i = 0; i < 50; ++i) sm_clock(gpu);
        tocuda_simulation_state_t state{};
        state.version = 1;
        ASSERT_EQ(tocuda_simulation_state(&state), 0);
        EXPECT_NEAR(state.seconds, 50 * 20e-6, 1e-9);
    });
}

struct Field {
    unsigned number, link;
    long long timestamp, latency;
    int type, result;
    unsigned long long value;
};

std::optional<unsigned long long> field(unsigned gpu, unsigned number, unsigned link) {
    void* handle = nullptr;
    EXPECT_EQ(ask("nvmlDeviceGetHandleByIndex_v2", gpu, &handle), 0);
    Field asked{};
    asked.number = number;
    asked.link = link;
    EXPECT_EQ(ask("nvmlDeviceGetFieldValues", handle, 1, &asked), 0);
    return asked.result == 0 ? std::optional(asked.value) : std::nullopt;
}

TEST(Readings, SlowdownCountersStandWhereTheDriverHasThem) {
    auto machine = with_telemetry(one_gpu, {{.field = "violation_ns.hw_thermal", .number = 7}});
    for (const auto& [driver, number] : {std::pair{"580.65.06", 252U}, std::pair{"580.95.05", 270U}}) {
        machine.driver_name = driver;
        on_machine(machine, [wanted = number] {
            for (const unsigned asked : {252U, 270U})
                EXPECT_EQ(field(0, asked, 0), asked == wanted ? std::optional(7ULL) : std::nullopt) << asked;
        });
    }
}

TEST(Readings, PowerOfTheMomentIsKnownWhereThePowerIs) {
    on_machine(with_telemetry(one_gpu, {{.field = "power_mw", .number = 123000}}),
               [] { EXPECT_EQ(field(0, 186, 0), 123000U); });
    on_machine(one_gpu, [] { EXPECT_EQ(field(0, 186, 0), std::nullopt); });
}

TEST(Readings, NvLinkCountsCopiesThatDoNotGoThroughTheHost) {
    constexpr unsigned all_links = ~0U;
    constexpr std::size_t bytes = 12 << 20;
    on_machine(twice(with(one_gpu, {{&GpuFigures::nvlinks, 3}})), [] {
        void* there = nullptr;
        void* here = nullptr;
        ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&there, bytes), cudaSuccess);
        ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&here, bytes), cudaSuccess);
        ASSERT_EQ(cudaMemcpyPeer(there, 1, here, 0, bytes), cudaSuccess);
        EXPECT_EQ(field(0, 138, all_links), 0U);
        ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
        ASSERT_EQ(cudaMemcpyPeer(there, 1, here, 0, bytes), cudaSuccess);
        EXPECT_EQ(field(0, 138, all_links), 12U << 10);
        EXPECT_EQ(field(0, 138, 2), 4U << 10);
        EXPECT_EQ(field(0, 138, 3), std::nullopt);
        EXPECT_EQ(field(1, 139, all_links), 12U << 10);
        EXPECT_EQ(field(1, 138, all_links), 0U);
    });
    on_machine(one_gpu, [] { EXPECT_EQ(field(0, 138, all_links), std::nullopt); });
}

}  // namespace
}  // namespace tocuda::simulator
