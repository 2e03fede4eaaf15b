// tocuda, Apache-2.0.
// Asks NVML in which state each GPU of the machine is, and tries to open device nodes. Neither creates a context.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "machine/probe.hpp"
#include "machine/uuid.hpp"
#include "telemetry/management.hpp"

namespace tocuda {
namespace {

using nvml::Handle;

using ErrorCount = int(Handle device, unsigned kind, unsigned counter, unsigned long long* count);
using RemappedRows = int(Handle device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                         unsigned* failed);

constexpr unsigned uncorrected = 1;
constexpr unsigned since_driver_load = 0;
constexpr unsigned recovery_action_field = 230;

struct PciAnswer {
    std::array<char, 16> legacy_address;
    unsigned domain, bus, device, id, subsystem_id;
    std::array<char, 32> address;
};
using PciInfo = int(Handle device, PciAnswer* answer);

struct MemoryAnswer {
    unsigned long long total, free, used;
};
using MemoryInfo = int(Handle device, MemoryAnswer* answer);

struct FabricAnswer {
    std::array<unsigned char, 16> cluster;
    int status;
    unsigned clique;
    unsigned char state;
};
using FabricInfo = int(Handle device, FabricAnswer* answer);

struct LoadAnswer {
    unsigned gpu, memory;
};
using Load = int(Handle device, LoadAnswer* answer);

using Reasons = int(Handle device, unsigned long long* bits);

class HealthQuestions {
public:
    HealthQuestions(const Management& management, Handle handle) : nvml(management), device(handle) {}

    std::optional<int> number(const char* name) const {
        unsigned value = 0;
        if (nvml.answered<nvml::DeviceNumber>(name, device, &value) != 0) return std::nullopt;
        return static_cast<int>(value);
    }
    std::optional<bool> flag(const char* name) const {
        const auto value = number(name);
        return value ? std::optional(*value != 0) : std::nullopt;
    }
    std::optional<std::string> text(const char* name) const {
        std::array<char, 128> value{};
        if (nvml.answered<nvml::DeviceText>(name, device, value.data(), 128u) != 0) return std::nullopt;
        return value.data();
    }
    std::optional<int> recovery_action() const {
        nvml::FieldValue value{.field = recovery_action_field};
        if (nvml.answered<nvml::FieldValues>("nvmlDeviceGetFieldValues", device, 1, &value) != 0 || value.answer != 0)
            return std::nullopt;
        return static_cast<int>(value.value.natural);
    }
    std::optional<int> mig_instances() const {
        int found = 0;
        const auto most = number("nvmlDeviceGetMaxMigDeviceCount");
        Handle part = nullptr;
        for (int i = 0; i < most.value_or(0); ++i)
            found += nvml.answered<nvml::PartByIndex>("nvmlDeviceGetMigDeviceHandleByIndex", device,
                                                      static_cast<unsigned>(i), &part) == 0;
        return most ? std::optional(found) : std::nullopt;
    }
    void memory_errors(GpuHealth& gpu) const {
        unsigned long long count = 0;
        if (nvml.answered<ErrorCount>("nvmlDeviceGetTotalEccErrors", device, uncorrected, since_driver_load, &count) ==
            0)
            gpu.uncorrected_errors = static_cast<std::int64_t>(count);
        unsigned corrected_rows = 0, uncorrected_rows = 0, pending = 0, failed = 0;
        if (nvml.answered<RemappedRows>("nvmlDeviceGetRemappedRows", device, &corrected_rows, &uncorrected_rows,
                                        &pending, &failed) == 0) {
            gpu.remapping_pending = pending != 0;
            gpu.remapping_failed = failed != 0;
        } else {
            gpu.remapping_pending = flag("nvmlDeviceGetRetiredPagesPendingStatus");  // GPUs before Ampere
        }
    }
    // Which processes of others it has, and how busy these keep it.
    void use(GpuHealth& gpu) const {
        LoadAnswer load{};
        if (nvml.answered<Load>("nvmlDeviceGetUtilizationRates", device, &load) == 0)
            gpu.busy_percent = static_cast<int>(load.gpu);
        std::array<nvml::Process, 64> all{};
        unsigned count = all.size();
        const int said =
            nvml.answered<nvml::Processes>("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, all.data());
        if (said == 0 || said == nvml::too_little_room) gpu.processes = static_cast<int>(count);
    }
    void power(GpuHealth& gpu) const {
        if (const auto milliwatts = number("nvmlDeviceGetPowerManagementDefaultLimit"))
            gpu.power_default_w = *milliwatts / 1e3;
    }
    void clocks(GpuHealth& gpu) const {
        unsigned long long reasons = 0;
        if (nvml.answered<Reasons>("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons) == 0)
            gpu.clock_reasons = static_cast<std::int64_t>(reasons);
    }
    void memory(GpuHealth& gpu) const {
        MemoryAnswer answer{};
        if (nvml.answered<MemoryInfo>("nvmlDeviceGetMemoryInfo", device, &answer) != 0) return;
        gpu.memory_bytes = static_cast<std::int64_t>(answer.total);
        gpu.memory_free_bytes = static_cast<std::int64_t>(answer.free);
    }
    void fabric(GpuHealth& gpu) const {
        FabricAnswer answer{};
        if (nvml.answered<FabricInfo>("nvmlDeviceGetGpuFabricInfo", device, &answer) != 0) return;
        gpu.fabric_state = answer.state;
        gpu.fabric_status = answer.status;
        if (std::ranges::any_of(answer.cluster, [](unsigned char byte) { return byte != 0; }))
            gpu.fabric_cluster = uuid_text(answer.cluster);
    }
    // The first answer other than success and "not supported": a lost GPU refuses everything.
    void place(GpuHealth& gpu) const {
        PciAnswer answer{};
        const int said = nvml.answered<PciInfo>("nvmlDeviceGetPciInfo_v3", device, &answer);
        if (said == 0) gpu.pci = answer.address.data();
        else if (said > 0) gpu.trouble = said;
        unsigned degrees = 0;
        const int sensed =
            nvml.answered<nvml::NumberOfKind>("nvmlDeviceGetTemperature", device, nvml::gpu_sensor, &degrees);
        if (sensed == nvml_gpu_lost || sensed == nvml_reset_required) gpu.trouble = sensed;
    }
    void mig(GpuHealth& gpu) const {
        unsigned current = 0, pending = 0;
        if (nvml.answered<nvml::DevicePair>("nvmlDeviceGetMigMode", device, &current, &pending) != 0) return;
        gpu.mig = current != 0;
        gpu.mig_pending = pending != 0;
        if (current != 0) gpu.mig_instances = mig_instances();
    }

private:
    const Management& nvml;
    Handle device;
};

GpuHealth health_of(const Management& nvml, unsigned index) {
    GpuHealth gpu{.index = static_cast<int>(index)};
    Handle device = nullptr;
    const int found = nvml.answered<nvml::HandleByIndex>("nvmlDeviceGetHandleByIndex_v2", index, &device);
    if (found != 0) {
        gpu.trouble = found;
        return gpu;
    }
    const HealthQuestions ask(nvml, device);
    ask.place(gpu);
    gpu.uuid = ask.text("nvmlDeviceGetUUID");
    gpu.name = ask.text("nvmlDeviceGetName");
    gpu.compute_mode = ask.number("nvmlDeviceGetComputeMode");
    gpu.recovery_action = ask.recovery_action();
    gpu.persistence = ask.flag("nvmlDeviceGetPersistenceMode");
    ask.fabric(gpu);
    ask.memory_errors(gpu);
    ask.mig(gpu);
    ask.memory(gpu);
    ask.use(gpu);
    ask.power(gpu);
    ask.clocks(gpu);
    return gpu;
}

bool is_gpu_node(const std::string& name) {
    return name.starts_with("nvidia") && name.size() > 6 &&
           std::all_of(name.begin() + 6, name.end(), [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

}  // namespace

void probe_health(const std::string& library, ProbeReport& report, const BeginStep& begin) {
    begin("asking NVML about the health of the GPUs");
    const Management nvml(library);
    const int ready = nvml.answered<nvml::Init>("nvmlInit_v2");
    if (ready >= 0) report.nvml_init = ready;
    if (ready != 0) return;
    for (int i = 0; i < report.nvml_devices.value_or(0); ++i)
        report.nvml_gpus.push_back(health_of(nvml, static_cast<unsigned>(i)));
    unsigned accepting = 0;
    if (report.confidential.value_or(false) &&
        nvml.answered<nvml::Count>("nvmlSystemGetConfComputeGpusReadyState", &accepting) == 0)
        report.confidential_ready = accepting != 0;
}

void probe_nodes(const std::string& folder, ProbeReport& report, const BeginStep& begin) {
    begin("opening the device nodes");
    std::vector<std::string> paths;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        const auto name = entry.path().filename().string();
        if (is_gpu_node(name) || name == "nvidiactl" || name == "nvidia-uvm") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    for (const auto& path : paths) {
        const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        report.nodes.push_back({static_cast<int>(report.nodes.size()), path, opened < 0 ? errno : 0});
        if (opened >= 0) ::close(opened);
    }
}

}  // namespace tocuda
