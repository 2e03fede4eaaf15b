// tocuda, Apache-2.0.
// A simulated NVML with the same GPUs as the simulated runtime. Returns "not supported" for anything it does not know.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "nvml/readings.hpp"

namespace tocuda::simulator::nvml {
namespace {

struct PciInfo {
    char bus_id_legacy[16];
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
    char bus_id[32];
};

struct OldProcess {
    unsigned pid;
    unsigned long long bytes;
};

struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
};

struct Memory {
    unsigned long long total, free, used;
};

// What all versions of it begin with.
struct FabricInfo {
    unsigned version;
    unsigned char cluster[16];
    Result status;
    unsigned clique;
    unsigned char state;  // 0: there is no fabric
};

Result text(char* target, unsigned length, const char* source) {
    if (!target) return invalid_argument;
    if (std::strlen(source) >= length) return insufficient_size;
    std::strcpy(target, source);
    return success;
}

// This process, once it has allocated something, and those that the profile lists.
template <typename Entry>
int running_processes(void* handle, unsigned* count, Entry* processes) {
    const SimulatedGpu* of = gpu(handle);
    if (!of || !count) return invalid_argument;
    const auto* said = reading(*of, "processes", "processes");
    auto all = said ? said->processes : std::vector<OtherProcess>{};
    const unsigned long long bytes = bytes_in_use(*of);
    if (bytes != 0) all.insert(all.begin(), OtherProcess{static_cast<unsigned>(::getpid()), bytes});
    const std::size_t room = *count;
    *count = static_cast<unsigned>(all.size());
    if (room < all.size() || (!processes && !all.empty())) return insufficient_size;
    for (std::size_t i = 0; i < all.size(); ++i) {
        processes[i] = {};
        processes[i].pid = all[i].pid;
        processes[i].bytes = all[i].bytes;
    }
    return success;
}

// The first GPU that matches, as a handle.
template <typename Matches>
Result find(void** handle, Matches&& matches) {
    for (const SimulatedGpu& candidate : machine().machine.gpus) {
        if (!matches(candidate)) continue;
        *handle = const_cast<SimulatedGpu*>(&candidate);
        return success;
    }
    return not_found;
}

void write_bus_id(const SimulatedGpu& of, char* target, std::size_t length, const char* format) {
    std::snprintf(target, length, format, static_cast<unsigned>(of.pci_domain),
                  static_cast<unsigned>(of.pci_bus & 0xff), static_cast<unsigned>(of.pci_device & 0xff));
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return machine().state == SimulationFile::State::good ? success : driver_not_loaded; }
int nvmlInit() { return nvmlInit_v2(); }
int nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }
int nvmlShutdown() { return success; }

const char* nvmlErrorString(int code) {
    if (code == success) return "Success";
    if (code == invalid_argument) return "Invalid Argument";
    if (code == not_supported) return "Not Supported";
    if (code == not_found) return "Not Found";
    if (code == insufficient_size) return "Insufficient Size";
    return code == driver_not_loaded ? "Driver Not Loaded" : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char* target, unsigned length) {
    return text(target, length, machine().machine.driver_name.c_str());
}
int nvmlSystemGetNVMLVersion(char* target, unsigned length) { return nvmlSystemGetDriverVersion(target, length); }

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
    if (!version) return invalid_argument;
    *version = machine().machine.driver_version;
    return success;
}
int nvmlSystemGetCudaDriverVersion(int* version) { return nvmlSystemGetCudaDriverVersion_v2(version); }

int nvmlDeviceGetCount_v2(unsigned* count) {
    if (!count) return invalid_argument;
    *count = static_cast<unsigned>(machine().machine.gpus.size());
    return success;
}
int nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
    if (!handle || index >= machine().machine.gpus.size()) return invalid_argument;
    *handle = const_cast<SimulatedGpu*>(&machine().machine.gpus[index]);
    return success;
}
int nvmlDeviceGetHandleByIndex(unsigned index, void** handle) { return nvmlDeviceGetHandleByIndex_v2(index, handle); }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
    if (!uuid || !handle) return invalid_argument;
    return find(handle, [&](const SimulatedGpu& candidate) { return candidate.uuid == uuid; });
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** handle) {
    if (!bus_id || !handle) return invalid_argument;
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    if (std::sscanf(bus_id, "%x:%x:%x", &domain, &bus, &device) != 3) return invalid_argument;
    return find(handle, [&](const SimulatedGpu& candidate) {
        return candidate.pci_domain == domain && candidate.pci_bus == bus && candidate.pci_device == device;
    });
}
int nvmlDeviceGetHandleByPciBusId(const char* bus_id, void** handle) {
    return nvmlDeviceGetHandleByPciBusId_v2(bus_id, handle);
}

int nvmlDeviceGetIndex(void* handle, unsigned* index) {
    return about(handle, index, [&](const SimulatedGpu& of) {
        *index = static_cast<unsigned>(index_of(of));
        return success;
    });
}

int nvmlDeviceGetName(void* handle, char* target, unsigned length) {
    return about(handle, target, [&](const SimulatedGpu& of) { return text(target, length, of.name.c_str()); });
}

int nvmlDeviceGetUUID(void* handle, char* target, unsigned length) {
    return about(handle, target, [&](const SimulatedGpu& of) { return text(target, length, of.uuid.c_str()); });
}

int nvmlDeviceGetPciInfo_v3(void* handle, PciInfo* info) {
    const SimulatedGpu* of = gpu(handle);
    if (!of || !info) return invalid_argument;
    *info = {};
    info->domain = static_cast<unsigned>(of->pci_domain);
    info->bus = static_cast<unsigned>(of->pci_bus);
    info->device = static_cast<unsigned>(of->pci_device);
    info->pci_device_id = static_cast<unsigned>(of->pci_id);
    info->pci_subsystem_id = static_cast<unsigned>(of->pci_subsystem_id);
    write_bus_id(*of, info->bus_id_legacy, sizeof info->bus_id_legacy, "%04X:%02X:%02X.0");
    write_bus_id(*of, info->bus_id, sizeof info->bus_id, "%08X:%02X:%02X.0");
    return success;
}

int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
    const SimulatedGpu* of = gpu(handle);
    if (!of || !memory) return invalid_argument;
    memory->total = static_cast<unsigned long long>(of->memory_bytes);
    memory->used = std::min(memory->total, bytes_in_use(*of) + static_cast<unsigned long long>(of->occupied_bytes));
    memory->free = memory->total - memory->used;
    return success;
}

int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
    const SimulatedGpu* of = gpu(handle);
    if (!of || !major || !minor) return invalid_argument;
    *major = static_cast<int>(of->compute_major);
    *minor = static_cast<int>(of->compute_minor);
    return success;
}

int nvmlDeviceGetComputeMode(void* handle, int* mode) {
    return about(handle, mode, [&](const SimulatedGpu& of) {
        *mode = static_cast<int>(of.compute_mode);
        return success;
    });
}

int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending) {
    return about(handle, current, [&](const SimulatedGpu& of) {
        if (of.mig == 0) return not_supported;
        *current = 1;
        if (pending) *pending = 1;
        return success;
    });
}

int nvmlDeviceGetComputeRunningProcesses(void* handle, unsigned* count, OldProcess* processes) {
    return running_processes(handle, count, processes);
}
int nvmlDeviceGetComputeRunningProcesses_v2(void* handle, unsigned* count, Process* processes) {
    return running_processes(handle, count, processes);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, Process* processes) {
    return running_processes(handle, count, processes);
}
int nvmlDeviceGetGpuFabricInfo() { return not_supported; }
int nvmlDeviceGetGpuFabricInfoV(void* handle, FabricInfo* info) {
    // LibTorch 2.13 takes anything but success for an error.
    return about(handle, info, [&](const SimulatedGpu&) {
        const auto version = info->version;
        *info = {};
        info->version = version;
        return success;
    });
}
int nvmlDeviceGetNvLinkRemoteDeviceType() { return not_supported; }
int nvmlDeviceGetNvLinkRemotePciInfo_v2() { return not_supported; }
int nvmlDeviceGetNvLinkState() { return not_supported; }
int nvmlDeviceGetPersistenceMode() { return not_supported; }
int nvmlDeviceGetVbiosVersion() { return not_supported; }

}  // extern "C"
}  // namespace tocuda::simulator::nvml
