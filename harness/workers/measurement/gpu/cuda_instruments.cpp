// tocuda, Apache-2.0.
// Implements clocks, warm-up and telemetry for the current device.
#include "measurement/gpu/cuda_instruments.hpp"

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/host_time.hpp"
#include "measurement/numa.hpp"
#include "measurement/sampling.hpp"
#include "measurement/shared_gpu.hpp"
#include "measurement/warm_up.hpp"
#include "telemetry/gauge.hpp"
#include "worker/worker_verbs.hpp"

namespace tocuda {
namespace {

// Keeps the GPU busy by filling memory for about a millisecond at a time. Does nothing if there is no room for it.
class Load {
public:
    explicit Load(bool wanted) {
        if (wanted && free_device_bytes() >= 2 * bytes) memory.emplace(bytes);
    }
    void pass() const {
        if (!memory) return;
        for (int i = 0; i < 30; ++i) require("cudaMemsetAsync", cudaMemsetAsync(memory->get(), i, bytes, nullptr));
        require("cudaStreamSynchronize", cudaStreamSynchronize(nullptr));
    }

private:
    static constexpr std::size_t bytes = std::size_t{64} << 20;
    std::optional<DeviceMemory> memory{};
};

// The fallback if NVML is absent or does not report it.
std::optional<int> sm_clock_max_by_the_driver() {
    const auto kilohertz = attribute(cudaDevAttrClockRate);
    return kilohertz > 0 ? std::optional((kilohertz + 500) / 1000) : std::nullopt;
}

// Not every driver knows this attribute.
std::optional<bool> mps_by_the_driver() {
    int enabled = 0;
    if (cudaDeviceGetAttribute(&enabled, cudaDevAttrMpsEnabled, current_device()) == cudaSuccess) return enabled != 0;
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
}

class CudaInstruments final : public Instruments {
public:
    explicit CudaInstruments(const TakeDeviceClock& take)
        // Runs before anything is allocated on the device, so that the driver's own memory is near, too. Simulated GPUs
        // do not appear in sysfs.
        : placement(virtual_seconds() ? Flags{} : stay_near_gpu(bus_id_of_current_device(), placement_calls())),
          uuid(uuid_of_current_device()),
          gauge(uuid, bus_id_of_current_device(), Management::usual_name, virtual_seconds() ? "" : XidLog::usual_log),
          clock(take ? take() : nullptr) {}

    std::string gpu() override { return uuid; }

    double now() override { return last_busy = host_seconds(); }

    Flags settle() override {
        auto flags = placement;
        add_flags(flags, sharing);
        if (!warm || host_seconds() - last_busy > warm_up.idle_seconds) {
            const Load load(!clock);
            warmth = warm_up.run([&] { return busy_megahertz(load); }, host_seconds, sm_clock_max);
        }
        warm = true;
        static_cast<void>(now());
        add_flags(flags, warmth.flags);
        return flags;
    }

    void rehearse(const Trial& trial) override { device_clock().rehearse(trial.queued()); }

    Batch batch(const Trial& trial, std::int64_t count) override {
        Batch taken;
        if (!lasts(trial, [&] { taken = device_clock().batch(trial.queued(), count); }))
            taken.flags.emplace_back(load_ended_early);
        static_cast<void>(now());
        return taken;
    }

    std::vector<double> each_gpu(const Trial& trial, std::int64_t count) override {
        std::vector<double> seconds;
        if (!lasts(trial, [&] { seconds = device_clock().each_gpu(trial.queued(), count); })) seconds.clear();
        static_cast<void>(now());
        return seconds;
    }

    std::int64_t queue_depth() override { return clock ? clock->queue_depth() : queued_most; }

    void without_gate() override {
        if (clock) clock->without_gate();
    }

    Telemetry telemetry() override {
        auto telemetry = timed_reading([&] { return gauge.read(); });
        telemetry.sm_clock_max_mhz = sm_clock_max;
        if (counts_cycles && warmth.clock)
            telemetry.sm_clock_counted_mhz = static_cast<int>(std::lround(*warmth.clock));
        return telemetry;
    }

    double reading_seconds() override { return reading_took; }

    std::optional<Telemetry> telemetry_during(const Trial& trial, std::int64_t count) override {
        if (!clock || !gauge.usable()) return std::nullopt;
        Telemetry telemetry;
        const auto look = [&] { telemetry = timed_reading([&] { return gauge.read_quickly(); }); };
        bool busy = false;
        const bool loaded = lasts(trial, [&] { busy = clock->while_busy(trial.queued(), count, look); });
        telemetry.sm_clock_max_mhz = sm_clock_max;
        return busy && loaded ? std::optional(telemetry) : std::nullopt;
    }

    void sustain(const Trial& trial, double seconds, Samples& samples) override {
        const bool kept_busy = tocuda::sustain(trial.queued(), seconds, [&](double of_one) {
            const auto now = gauge.read_quickly();  // anything slower and the GPU would run out of operations
            samples.seconds.push_back(of_one);
            samples.course.push_back({.sm_clock_mhz = now.sm_clock_mhz,
                                      .memory_clock_mhz = now.memory_clock_mhz,
                                      .temperature_c = gauge.temperature_c(),
                                      .power_w = now.power_w,
                                      .reasons = now.reasons});
        });
        if (!kept_busy) add_flags(samples.flags, {"the GPU waited for the host between two operations"});
        static_cast<void>(now());
    }

    void move_bytes(bool on) override { move_simulated_bytes(on); }

    // A sticky error is returned by every later call; any other error is cleared once it has been returned.
    bool lost() override {
        static_cast<void>(cudaGetLastError());
        if (cudaStreamSynchronize(nullptr) == cudaSuccess) return false;
        static_cast<void>(cudaGetLastError());
        return cudaStreamSynchronize(nullptr) != cudaSuccess;
    }

    void leave() override { std::_Exit(context_lost); }

private:
    // Returns whether the trial's load, if it has one, lasted.
    static bool lasts(const Trial& trial, const std::function<void()>& step) {
        if (const auto& under = trial.queued().under) return under(step);
        step();
        return true;
    }

    template <class Read>
    Telemetry timed_reading(const Read& read) {
        const auto began = host_seconds();
        auto telemetry = read();
        reading_took = host_seconds() - began;
        return telemetry;
    }

    DeviceClock& device_clock() const {
        if (!clock) throw std::logic_error("this worker has no device clock");
        return *clock;
    }

    // Our own kernels measure the clock; without them, filling memory keeps the GPU busy and NVML reports the clock.
    std::optional<double> busy_megahertz(const Load& load) {
        const auto seen = clock ? clock->busy_megahertz() : std::nullopt;
        load.pass();
        counts_cycles = seen.has_value();
        if (seen) return seen;
        return gauge.sm_clock_mhz();
    }

    Flags placement;
    std::string uuid;
    Gauge gauge;
    Flags sharing =
        sharing_flags(uuid.starts_with(mig_prefix) || gauge.is_divided(), mps_by_the_driver(), mps_control());
    std::unique_ptr<DeviceClock> clock;
    WarmUp warm_up{};
    WarmUp::Ended warmth{};
    std::optional<int> sm_clock_max =
        gauge.sm_clock_max_mhz() ? gauge.sm_clock_max_mhz() : sm_clock_max_by_the_driver();
    bool counts_cycles = false;
    bool warm = false;
    double last_busy = 0;
    double reading_took = 0;
};

}  // namespace

std::unique_ptr<Instruments> cuda_instruments(const TakeDeviceClock& take) {
    return std::make_unique<CudaInstruments>(take);
}

std::string cuda_version() {
    return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

}  // namespace tocuda
