// tocuda, Apache-2.0.
// Asks NVML about each GPU. If a GPU does not support a query, the field is absent and the cause is recorded.
#include <algorithm>
#include <array>

#include "machine/probe.hpp"
#include "telemetry/management.hpp"

namespace tocuda {
namespace {

using nvml::Count;
using nvml::DeviceNumber;
using nvml::DevicePair;
using nvml::DeviceText;
using nvml::Handle;
using nvml::HandleByIndex;
using nvml::HandleByText;
using nvml::PartByIndex;
using nvml::SystemText;

// Every field of a GPU that only NVML reports.
constexpr std::array<const char*, 11> fields{
    "vbios",          "power_limit_w",           "ecc",        "mig",
    "persistence",    "pcie.generation",         "pcie.width", "pcie.generation_max",
    "pcie.width_max", "pcie.gpu_generation_max", "bar1_bytes"};

constexpr const char* confidential = "machine.confidential_computing";

struct WindowAnswer {
    unsigned long long total, free, used;
};
using Window = int(Handle device, WindowAnswer* answer);
using Capability = int(Handle device, int* major, int* minor);
using FirmwareVersion = int(Handle device, char* version);  // of at most 64 characters

struct ConfidentialAnswer {
    unsigned environment, enabled, for_tools;
};
using ConfidentialState = int(ConfidentialAnswer* answer);

std::string field_of(const Gpu& gpu, const char* name) { return "gpus[" + std::to_string(gpu.index) + "]." + name; }

void without_any(const Gpu& gpu, const std::string& cause, ProbeReport& report) {
    for (const char* field : fields) report.unavailable.push_back({field_of(gpu, field), cause});
}

class GpuQuestions {
public:
    GpuQuestions(const Management& management, Handle handle, Gpu& written_gpu, ProbeReport& written)
        : nvml(management), device(handle), gpu(written_gpu), report(written) {}

    std::optional<unsigned> number(const char* field, const char* name) {
        unsigned value = 0;
        return heard(field, nvml.ask<DeviceNumber>(name, device, &value)) ? std::optional(value) : std::nullopt;
    }
    std::optional<int> small(const char* field, const char* name) {
        const auto value = number(field, name);
        return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
    }
    std::optional<bool> mode(const char* field, const char* name) {
        unsigned current = 0, pending = 0;
        return heard(field, nvml.ask<DevicePair>(name, device, &current, &pending)) ? std::optional(current != 0)
                                                                                    : std::nullopt;
    }
    std::optional<std::string> text(const char* field, const char* name) {
        std::array<char, 128> value{};
        return heard(field, nvml.ask<DeviceText>(name, device, value.data(), 128u))
                   ? std::optional<std::string>(value.data())
                   : std::nullopt;
    }

    std::optional<std::int64_t> window(const char* field, const char* name) {
        WindowAnswer answer{};
        return heard(field, nvml.ask<Window>(name, device, &answer))
                   ? std::optional(static_cast<std::int64_t>(answer.total))
                   : std::nullopt;
    }
    void gsp_firmware() {
        unsigned enabled = 0, usual = 0;
        std::array<char, 128> version{};
        auto asked = nvml.ask<DevicePair>("nvmlDeviceGetGspFirmwareMode", device, &enabled, &usual);
        if (asked && enabled == 0) return add_value(report.gsp_firmware, "off");
        if (asked) asked = nvml.ask<FirmwareVersion>("nvmlDeviceGetGspFirmwareVersion", device, version.data());
        if (asked) add_value(report.gsp_firmware, version.data());
        else if (std::ranges::find(report.unavailable, "driver.gsp_firmware", &Unavailable::field) ==
                 report.unavailable.end())
            report.unavailable.push_back({"driver.gsp_firmware", asked.error().what});
    }

private:
    bool heard(const char* field, const Expected<void>& asked) {
        if (!asked) report.unavailable.push_back({field_of(gpu, field), asked.error().what});
        return asked.has_value();
    }

    const Management& nvml;
    Handle device;
    Gpu& gpu;
    ProbeReport& report;
};

void ask_about(Gpu& gpu, GpuQuestions ask) {
    gpu.vbios = ask.text("vbios", "nvmlDeviceGetVbiosVersion");
    if (const auto milliwatts = ask.number("power_limit_w", "nvmlDeviceGetPowerManagementLimit"))
        gpu.power_limit_w = static_cast<double>(*milliwatts) / 1000;
    gpu.ecc = ask.mode("ecc", "nvmlDeviceGetEccMode");
    gpu.mig = ask.mode("mig", "nvmlDeviceGetMigMode");
    if (const auto persistence = ask.number("persistence", "nvmlDeviceGetPersistenceMode"))
        gpu.persistence = *persistence != 0;
    gpu.pcie.generation = ask.small("pcie.generation", "nvmlDeviceGetCurrPcieLinkGeneration");
    gpu.pcie.width = ask.small("pcie.width", "nvmlDeviceGetCurrPcieLinkWidth");
    gpu.pcie.generation_max = ask.small("pcie.generation_max", "nvmlDeviceGetMaxPcieLinkGeneration");
    gpu.pcie.gpu_generation_max = ask.small("pcie.gpu_generation_max", "nvmlDeviceGetGpuMaxPcieLinkGeneration");
    gpu.pcie.width_max = ask.small("pcie.width_max", "nvmlDeviceGetMaxPcieLinkWidth");
    gpu.bar1_bytes = ask.window("bar1_bytes", "nvmlDeviceGetBAR1MemoryInfo");
    ask.gsp_firmware();
}

void ask_about_system(const Management& nvml, ProbeReport& report) {
    std::array<char, 128> version{};
    const auto asked = nvml.ask<SystemText>("nvmlSystemGetDriverVersion", version.data(), 128u);
    if (asked) report.nvml_driver = version.data();
    else report.unavailable.push_back({"nvml.driver", asked.error().what});
    unsigned count = 0;
    const auto counted = nvml.ask<Count>("nvmlDeviceGetCount_v2", &count);
    if (counted) report.nvml_devices = static_cast<int>(count);
    else report.unavailable.push_back({"nvml.devices", counted.error().what});
    ConfidentialAnswer state{};
    const auto mode = nvml.ask<ConfidentialState>("nvmlSystemGetConfComputeState", &state);
    if (mode) report.confidential = state.enabled != 0;
    else report.unavailable.push_back({confidential, mode.error().what});
}

// They have the numbers after those of CUDA. What is not about a part of a GPU is that of the whole.
class MigInstances {
public:
    MigInstances(const Management& management, ProbeReport& written) : nvml(management), report(written) {}

    void add() {
        for (int gpu = 0; gpu < report.nvml_devices.value_or(0); ++gpu) {
            Handle whole = nullptr;
            unsigned most = 0, divided = 0, pending = 0;
            if (!nvml.ask<HandleByIndex>("nvmlDeviceGetHandleByIndex_v2", static_cast<unsigned>(gpu), &whole)) continue;
            if (!nvml.ask<DevicePair>("nvmlDeviceGetMigMode", whole, &divided, &pending) || divided == 0) continue;
            if (!nvml.ask<DeviceNumber>("nvmlDeviceGetMaxMigDeviceCount", whole, &most)) continue;
            for (unsigned number = 0; number < most; ++number) {
                Handle part = nullptr;
                if (nvml.ask<PartByIndex>("nvmlDeviceGetMigDeviceHandleByIndex", whole, number, &part))
                    add(whole, part);
            }
        }
    }

private:
    void add(Handle whole, Handle part) {
        const auto uuid = text(part, "nvmlDeviceGetUUID");
        if (!uuid || std::ranges::find(report.gpus, uuid, &Gpu::uuid) != report.gpus.end()) return;
        auto& gpu = report.mig_instances.emplace_back(
            Gpu{.index = static_cast<int>(report.gpus.size() + report.mig_instances.size()), .uuid = uuid});
        ask_about(gpu, {nvml, whole, gpu, report});
        gpu.name = text(part, "nvmlDeviceGetName");
        gpu.mig = true;
        int major = 0, minor = 0;
        if (nvml.ask<Capability>("nvmlDeviceGetCudaComputeCapability", whole, &major, &minor))
            gpu.compute_capability = std::to_string(major) + "." + std::to_string(minor);
        WindowAnswer memory{};
        if (nvml.ask<Window>("nvmlDeviceGetMemoryInfo", part, &memory))
            gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
    }
    std::optional<std::string> text(Handle of, const char* name) const {
        std::array<char, 128> value{};
        return nvml.ask<DeviceText>(name, of, value.data(), 128u) ? std::optional<std::string>(value.data())
                                                                  : std::nullopt;
    }

    const Management& nvml;
    ProbeReport& report;
};

}  // namespace

void probe_nvml(const std::string& name, ProbeReport& report, const BeginStep& begin) {
    begin("loading " + name + ", and nvmlInit");
    const Management nvml(name);
    if (const auto& usable = nvml.usable(); !usable) {
        report.unavailable.push_back({"nvml", usable.error().what});
        for (const char* field : {confidential, "driver.gsp_firmware"})
            report.unavailable.push_back({field, usable.error().what});
        for (const auto& gpu : report.gpus) without_any(gpu, usable.error().what, report);
        return;
    }
    report.nvml_library = nvml.file();
    ask_about_system(nvml, report);
    begin("asking NVML about the GPUs");
    for (std::size_t i = 0; i < report.gpus.size(); ++i) {
        Handle device = nullptr;
        Expected<void> found = problem("NVML was not asked: the driver does not report the GPU's PCI bus id");
        if (const auto& place = report.cuda_gpus.at(i).pci)
            found = nvml.ask<HandleByText>("nvmlDeviceGetHandleByPciBusId_v2", place->c_str(), &device);
        if (found) ask_about(report.gpus[i], {nvml, device, report.gpus[i], report});
        else without_any(report.gpus[i], found.error().what, report);
    }
    if (std::ranges::any_of(report.gpus, is_mig_instance)) MigInstances(nvml, report).add();
}

}  // namespace tocuda
