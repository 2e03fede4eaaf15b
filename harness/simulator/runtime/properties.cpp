// tocuda, Apache-2.0.
#include "runtime/properties.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tocuda::simulator {
namespace {

int whole(std::int64_t value) { return static_cast<int>(value); }
std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

void write_limits(const SimulatedGpu& gpu, cudaDeviceProp& to) {
    to.sharedMemPerBlock = size(gpu.shared_per_block);
    to.sharedMemPerBlockOptin = size(gpu.shared_per_block_optin);
    to.sharedMemPerMultiprocessor = size(gpu.shared_per_multiprocessor);
    to.reservedSharedMemPerBlock = size(gpu.shared_reserved_per_block);
    to.regsPerBlock = whole(gpu.registers_per_block);
    to.regsPerMultiprocessor = whole(gpu.registers_per_multiprocessor);
    to.maxThreadsPerBlock = whole(gpu.threads_per_block);
    to.maxThreadsPerMultiProcessor = whole(gpu.threads_per_multiprocessor);
    to.maxBlocksPerMultiProcessor = whole(gpu.blocks_per_multiprocessor);
    to.warpSize = 32;
    to.memPitch = 2147483647;
    to.maxThreadsDim[0] = to.maxThreadsDim[1] = 1024;
    to.maxThreadsDim[2] = 64;
    to.maxGridSize[0] = 2147483647;
    to.maxGridSize[1] = to.maxGridSize[2] = 65535;
    to.totalConstMem = size(gpu.constant_bytes);
    to.textureAlignment = 512;
    to.texturePitchAlignment = 32;
    to.surfaceAlignment = 512;
}

void write_abilities(const SimulatedGpu& gpu, cudaDeviceProp& to) {
    to.concurrentKernels = to.canMapHostMemory = to.unifiedAddressing = 1;
    to.streamPrioritiesSupported = to.globalL1CacheSupported = to.localL1CacheSupported = 1;
    to.computePreemptionSupported = to.canUseHostPointerForRegisteredMem = to.hostRegisterSupported = 1;
    to.asyncEngineCount = whole(gpu.copy_engines);
    to.integrated = whole(gpu.integrated);
    to.ECCEnabled = whole(gpu.ecc);
    to.managedMemory = whole(gpu.managed_memory);
    to.concurrentManagedAccess = whole(gpu.concurrent_managed_access);
    to.pageableMemoryAccess = whole(gpu.pageable_memory_access);
    to.hostNativeAtomicSupported = whole(gpu.host_native_atomics);
    to.cooperativeLaunch = whole(gpu.cooperative_launch);
    to.clusterLaunch = whole(gpu.cluster_launch);
    to.memoryPoolsSupported = whole(gpu.memory_pools);
    to.hostNumaId = whole(gpu.host_numa);
}

}  // namespace

void write_uuid(const std::string& text, cudaUUID_t& uuid) {
    std::string digits;
    for (const char c : text.substr(std::min<std::size_t>(4, text.size()))) {
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
    }
    digits.resize(32, '0');
    for (std::size_t i = 0; i < 16; ++i) {
        uuid.bytes[i] = static_cast<char>(std::strtol(digits.substr(2 * i, 2).c_str(), nullptr, 16));
    }
}

cudaDeviceProp properties_of(const SimulatedGpu& gpu) {
    cudaDeviceProp to{};
    std::strncpy(to.name, gpu.name.c_str(), sizeof to.name - 1);
    write_uuid(gpu.uuid, to.uuid);
    to.totalGlobalMem = size(gpu.memory_bytes);
    to.major = whole(gpu.compute_major);
    to.minor = whole(gpu.compute_minor);
    to.multiProcessorCount = whole(gpu.multiprocessors);
    to.memoryBusWidth = whole(gpu.memory_bus_bits);
    to.l2CacheSize = whole(gpu.l2_bytes);
    to.persistingL2CacheMaxSize = whole(gpu.persisting_l2_bytes);
    to.accessPolicyMaxWindowSize = whole(gpu.access_policy_window_bytes);
    to.pciDomainID = whole(gpu.pci_domain);
    to.pciBusID = whole(gpu.pci_bus);
    to.pciDeviceID = whole(gpu.pci_device);
    to.gpuPciDeviceID = static_cast<unsigned>(gpu.pci_id);
    to.gpuPciSubsystemID = static_cast<unsigned>(gpu.pci_subsystem_id);
    write_limits(gpu, to);
    write_abilities(gpu, to);
    return to;
}

}  // namespace tocuda::simulator
