// tocuda, Apache-2.0.
// The simulated machine of this process, the GPUs that CUDA_VISIBLE_DEVICES leaves of it, and their telemetry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/schema/gpu.hpp"
#include "simulator/schema/simulated_machine.hpp"
#include "simulator/schema/telemetry.hpp"

namespace tocuda::simulator {

// Chooses which line of a simulated GPU's telemetry applies now.

// The conditions that lines of telemetry depend on, for one GPU in one process.
struct TelemetryNow {
    std::uint64_t reading = 1;
    std::uint64_t process = 0;
    double seconds = 0;
    double work_begin = -1;  // below 0: no work yet
    double work_end = -1;
};

// Returns the last line of this field whose conditions hold; null if there is none.
const TelemetryLine* telemetry_line(const std::vector<TelemetryLine>& lines, std::string_view field,
                                    const TelemetryNow& now);

// Which GPUs CUDA_VISIBLE_DEVICES leaves, by the published rules. The simulator evaluates it itself, so a test against
// it shows only how others react.

// Returns indices into `gpus`, in the order of the list, up to the first entry that names no GPU. Without a list: all.
std::vector<int> visible_devices(std::optional<std::string_view> list, const std::vector<SimulatedGpu>& gpus);

std::vector<int> visible_devices_of_environment(const std::vector<SimulatedGpu>& gpus);

// Reads the simulated machine of this process from the file that TOCUDA_SIMULATION names.

// `absent` if TOCUDA_SIMULATION is not set, `bad` if its file cannot be used. Either is reported once on stderr.
struct SimulationFile {
    enum class State { absent, bad, good } state = State::absent;
    SimulatedMachine machine;
};
SimulationFile read_simulation_file();

// The value of TOCUDA_SIMULATION_PROCESS: 0 if unset, nullopt if it is not a number.
std::optional<std::uint64_t> process_of_environment();

// Marks the GPU with this index in the file as used by this process, until the process ends or unlocks it; false if
// another process uses it. Without a file that can be written nothing is marked.
bool lock_gpu(int index);
void unlock_gpu(int index);

}  // namespace tocuda::simulator
