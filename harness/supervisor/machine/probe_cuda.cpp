// tocuda, Apache-2.0.
// Asks the driver for its version, calls cuInit and lists the GPUs.
#include <array>
#include <cstdint>
#include <cstdio>

#include "machine/probe.hpp"
#include "machine/uuid.hpp"
#include "telemetry/management.hpp"

namespace tocuda {
namespace {

// The documented functions of the driver; 0 is success.
using Init = int(unsigned flags);
using DriverGetVersion = int(int* version);
using DeviceGetCount = int(int* count);
using DeviceGet = int(int* device, int ordinal);
using DeviceGetName = int(char* name, int length, int device);
using DeviceGetUuid = int(std::uint8_t* uuid, int device);
using DeviceTotalMem = int(std::size_t* bytes, int device);
using DeviceGetAttribute = int(int* value, int attribute, int device);
using GetErrorText = int(int error, const char** text);

constexpr int integrated = 18;
constexpr int compute_mode = 20;
constexpr int capability_major = 75;
constexpr int capability_minor = 76;
constexpr int pci_bus = 33;
constexpr int pci_device = 34;
constexpr int pci_domain = 50;
constexpr int pageable_memory_access = 88;
constexpr int uses_host_page_tables = 100;

class CudaDriver {
public:
    CudaDriver(const SharedLibrary& libcuda, ProbeReport& written) : library(libcuda), report(written) {}

    std::string text_of_error(int error) const {
        std::string text;
        for (const char* name : {"cuGetErrorName", "cuGetErrorString"}) {
            const auto get = library.function<GetErrorText>(name);
            const char* found = nullptr;
            if (!get || get(error, &found) != 0 || !found) continue;
            text += (text.empty() ? "" : ": ") + std::string(found);
        }
        return text;
    }

    template <class Function>
    Function* find(const char* name) const {
        return library.function<Function>(name);
    }

    // Calls `name` and returns true if it returned 0. Otherwise records `field` as unavailable.
    template <class Function, class... Arguments>
    bool ask(const std::string& field, const char* name, Arguments... arguments) const {
        const auto function = find<Function>(name);
        if (!function) return without(field, "the driver has no " + std::string(name));
        const int answer = function(arguments...);
        if (answer == 0) return true;
        const auto text = text_of_error(answer);
        return without(
            field, std::string(name) + " answered " + std::to_string(answer) + (text.empty() ? "" : " (" + text + ")"));
    }

    bool without(const std::string& field, const std::string& cause) const {
        report.unavailable.push_back({field, cause});
        return false;
    }

private:
    const SharedLibrary& library;
    ProbeReport& report;
};

std::string field_of(int index, const char* name) { return "gpus[" + std::to_string(index) + "]." + name; }

std::optional<std::string> uuid_of(const CudaDriver& driver, int index, int device) {
    std::array<std::uint8_t, 16> whole{}, part{};
    if (!driver.ask<DeviceGetUuid>(field_of(index, "uuid"), "cuDeviceGetUuid", whole.data(), device))
        return std::nullopt;
    // The newer function returns the UUID of a MIG instance; drivers without it do not support MIG.
    const auto name_part = driver.find<DeviceGetUuid>("cuDeviceGetUuid_v2");
    if (!name_part || name_part(part.data(), device) != 0) part = whole;
    return (whole != part ? mig_prefix : "GPU-") + uuid_text(part);
}

CudaGpu cuda_gpu_at(const CudaDriver& driver, int index, int device) {
    CudaGpu gpu{.index = index};
    const auto get = driver.find<DeviceGetAttribute>("cuDeviceGetAttribute");
    if (!get) return gpu;
    int value = 0;
    if (get(&value, compute_mode, device) == 0) gpu.compute_mode = value;
    if (get(&value, integrated, device) == 0) gpu.integrated = value != 0;
    int domain = 0, bus = 0, slot = 0;
    if (get(&domain, pci_domain, device) != 0 || get(&bus, pci_bus, device) != 0 || get(&slot, pci_device, device) != 0)
        return gpu;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%08x:%02x:%02x.0", static_cast<unsigned>(domain),
                  static_cast<unsigned>(bus), static_cast<unsigned>(slot));
    gpu.pci = text.data();
    return gpu;
}

void ask_for_pageable_access(const CudaDriver& driver, int device, ProbeReport& report) {
    const auto get = driver.find<DeviceGetAttribute>("cuDeviceGetAttribute");
    int access = 0, by_hardware = 0;
    if (get && get(&access, pageable_memory_access, device) == 0 &&
        get(&by_hardware, uses_host_page_tables, device) == 0)
        add_value(report.pageable_access, access == 0 ? "none" : by_hardware == 0 ? "hmm" : "ats");
}

Gpu gpu_at(const CudaDriver& driver, int index, int device) {
    Gpu gpu{.index = index};
    gpu.uuid = uuid_of(driver, index, device);
    std::array<char, 256> name{};
    if (driver.ask<DeviceGetName>(field_of(index, "name"), "cuDeviceGetName", name.data(), 256, device))
        gpu.name = name.data();
    std::size_t bytes = 0;
    if (driver.ask<DeviceTotalMem>(field_of(index, "memory_bytes"), "cuDeviceTotalMem_v2", &bytes, device))
        gpu.memory_bytes = static_cast<std::int64_t>(bytes);
    int major = 0, minor = 0;
    const auto capability = field_of(index, "compute_capability");
    if (driver.ask<DeviceGetAttribute>(capability, "cuDeviceGetAttribute", &major, capability_major, device) &&
        driver.ask<DeviceGetAttribute>(capability, "cuDeviceGetAttribute", &minor, capability_minor, device))
        gpu.compute_capability = std::to_string(major) + "." + std::to_string(minor);
    return gpu;
}

bool initialise(const SharedLibrary& library, const CudaDriver& driver, ProbeReport& report) {
    const auto initialise = library.function<Init>("cuInit");
    if (!initialise) return driver.without("gpus", "the driver has no cuInit");
    report.init = initialise(0);
    if (report.init == 0) return true;
    report.init_text = driver.text_of_error(*report.init);
    return driver.without("gpus", "cuInit answered " + std::to_string(*report.init) +
                                      (report.init_text.empty() ? "" : " (" + report.init_text + ")"));
}

}  // namespace

void probe_cuda(const std::string& name, ProbeReport& report, const BeginStep& begin) {
    begin("loading " + name);
    const SharedLibrary library(name);
    const CudaDriver driver(library, report);
    if (!library.loaded()) {
        const auto cause = "no driver: " + name + " cannot be loaded: " + library.error();
        driver.without("driver.cuda", cause);
        driver.without("gpus", cause);
        return;
    }
    report.library = library.file();
    report.simulated = library.function<int()>("tocuda_simulated_driver") != nullptr;
    int version = 0;
    if (driver.ask<DriverGetVersion>("driver.cuda", "cuDriverGetVersion", &version)) report.version = version;
    begin("cuInit");
    int count = 0;
    if (!initialise(library, driver, report) || !driver.ask<DeviceGetCount>("gpus", "cuDeviceGetCount", &count)) return;
    report.devices = count;
    begin("asking the driver about its GPUs");
    for (int index = 0; index < count; ++index) {
        int device = 0;
        if (!driver.ask<DeviceGet>("gpus[" + std::to_string(index) + "]", "cuDeviceGet", &device, index)) continue;
        report.gpus.push_back(gpu_at(driver, index, device));
        report.cuda_gpus.push_back(cuda_gpu_at(driver, index, device));
        ask_for_pageable_access(driver, device, report);
    }
    if (!report.gpus.empty() && !report.pageable_access)
        driver.without("driver.pageable_access", "cuDeviceGetAttribute does not answer it");
}

}  // namespace tocuda
