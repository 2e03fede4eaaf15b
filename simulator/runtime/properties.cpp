// tocuda, Apache-2.0.
#include "runtime/properties.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>

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
    to.pageableMemoryAccessUsesHostPageTables = whole(gpu.host_page_tables);
    to.hostNativeAtomicSupported = whole(gpu.host_native_atomics);
    to.cooperativeLaunch = whole(gpu.cooperative_launch);
    to.clusterLaunch = whole(gpu.cluster_launch);
    to.memoryPoolsSupported = whole(gpu.memory_pools);
    to.hostNumaId = whole(gpu.host_numa);
}

// Attributes by number: from the profile's own list, then its fields, then what holds for every GPU.
struct FieldAttribute {
    int attribute;
    std::int64_t SimulatedGpu::* field;
};

constexpr std::array from_fields = {
    FieldAttribute{cudaDevAttrMaxThreadsPerBlock, &SimulatedGpu::threads_per_block},
    FieldAttribute{cudaDevAttrMaxSharedMemoryPerBlock, &SimulatedGpu::shared_per_block},
    FieldAttribute{cudaDevAttrTotalConstantMemory, &SimulatedGpu::constant_bytes},
    FieldAttribute{cudaDevAttrMaxRegistersPerBlock, &SimulatedGpu::registers_per_block},
    FieldAttribute{cudaDevAttrClockRate, &SimulatedGpu::clock_khz},
    FieldAttribute{cudaDevAttrMultiProcessorCount, &SimulatedGpu::multiprocessors},
    FieldAttribute{cudaDevAttrIntegrated, &SimulatedGpu::integrated},
    FieldAttribute{cudaDevAttrComputeMode, &SimulatedGpu::compute_mode},
    FieldAttribute{cudaDevAttrEccEnabled, &SimulatedGpu::ecc},
    FieldAttribute{cudaDevAttrPciBusId, &SimulatedGpu::pci_bus},
    FieldAttribute{cudaDevAttrPciDeviceId, &SimulatedGpu::pci_device},
    FieldAttribute{cudaDevAttrPciDomainId, &SimulatedGpu::pci_domain},
    FieldAttribute{cudaDevAttrMemoryClockRate, &SimulatedGpu::memory_clock_khz},
    FieldAttribute{cudaDevAttrGlobalMemoryBusWidth, &SimulatedGpu::memory_bus_bits},
    FieldAttribute{cudaDevAttrL2CacheSize, &SimulatedGpu::l2_bytes},
    FieldAttribute{cudaDevAttrMaxThreadsPerMultiProcessor, &SimulatedGpu::threads_per_multiprocessor},
    FieldAttribute{cudaDevAttrAsyncEngineCount, &SimulatedGpu::copy_engines},
    FieldAttribute{cudaDevAttrComputeCapabilityMajor, &SimulatedGpu::compute_major},
    FieldAttribute{cudaDevAttrComputeCapabilityMinor, &SimulatedGpu::compute_minor},
    FieldAttribute{cudaDevAttrMaxSharedMemoryPerMultiprocessor, &SimulatedGpu::shared_per_multiprocessor},
    FieldAttribute{cudaDevAttrMaxRegistersPerMultiprocessor, &SimulatedGpu::registers_per_multiprocessor},
    FieldAttribute{cudaDevAttrManagedMemory, &SimulatedGpu::managed_memory},
    FieldAttribute{cudaDevAttrHostNativeAtomicSupported, &SimulatedGpu::host_native_atomics},
    FieldAttribute{cudaDevAttrSingleToDoublePrecisionPerfRatio, &SimulatedGpu::double_ratio},
    FieldAttribute{cudaDevAttrPageableMemoryAccess, &SimulatedGpu::pageable_memory_access},
    FieldAttribute{cudaDevAttrPageableMemoryAccessUsesHostPageTables, &SimulatedGpu::host_page_tables},
    FieldAttribute{cudaDevAttrConcurrentManagedAccess, &SimulatedGpu::concurrent_managed_access},
    FieldAttribute{cudaDevAttrCooperativeLaunch, &SimulatedGpu::cooperative_launch},
    FieldAttribute{cudaDevAttrMaxSharedMemoryPerBlockOptin, &SimulatedGpu::shared_per_block_optin},
    FieldAttribute{cudaDevAttrMaxBlocksPerMultiprocessor, &SimulatedGpu::blocks_per_multiprocessor},
    FieldAttribute{cudaDevAttrMaxPersistingL2CacheSize, &SimulatedGpu::persisting_l2_bytes},
    FieldAttribute{cudaDevAttrMaxAccessPolicyWindowSize, &SimulatedGpu::access_policy_window_bytes},
    FieldAttribute{cudaDevAttrReservedSharedMemoryPerBlock, &SimulatedGpu::shared_reserved_per_block},
    FieldAttribute{cudaDevAttrMemoryPoolsSupported, &SimulatedGpu::memory_pools},
    FieldAttribute{cudaDevAttrClusterLaunch, &SimulatedGpu::cluster_launch},
    FieldAttribute{cudaDevAttrHostNumaId, &SimulatedGpu::host_numa},
    FieldAttribute{cudaDevAttrGpuPciDeviceId, &SimulatedGpu::pci_id},
    FieldAttribute{cudaDevAttrGpuPciSubsystemId, &SimulatedGpu::pci_subsystem_id},
    FieldAttribute{102, &SimulatedGpu::virtual_memory},  // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
};

struct FixedAttribute {
    int attribute;
    int value;
};

// Limits and features that all GPUs since compute capability 7.0 share.
constexpr std::array fixed = {
    FixedAttribute{cudaDevAttrMaxBlockDimX, 1024},
    FixedAttribute{cudaDevAttrMaxBlockDimY, 1024},
    FixedAttribute{cudaDevAttrMaxBlockDimZ, 64},
    FixedAttribute{cudaDevAttrMaxGridDimX, 2147483647},
    FixedAttribute{cudaDevAttrMaxGridDimY, 65535},
    FixedAttribute{cudaDevAttrMaxGridDimZ, 65535},
    FixedAttribute{cudaDevAttrWarpSize, 32},
    FixedAttribute{cudaDevAttrMaxPitch, 2147483647},
    FixedAttribute{cudaDevAttrTextureAlignment, 512},
    FixedAttribute{cudaDevAttrTexturePitchAlignment, 32},
    FixedAttribute{cudaDevAttrSurfaceAlignment, 512},
    FixedAttribute{cudaDevAttrGpuOverlap, 1},
    FixedAttribute{cudaDevAttrCanMapHostMemory, 1},
    FixedAttribute{cudaDevAttrConcurrentKernels, 1},
    FixedAttribute{cudaDevAttrUnifiedAddressing, 1},
    FixedAttribute{cudaDevAttrStreamPrioritiesSupported, 1},
    FixedAttribute{cudaDevAttrGlobalL1CacheSupported, 1},
    FixedAttribute{cudaDevAttrLocalL1CacheSupported, 1},
    FixedAttribute{cudaDevAttrComputePreemptionSupported, 1},
    FixedAttribute{cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    FixedAttribute{cudaDevAttrHostRegisterSupported, 1},
    FixedAttribute{cudaDevAttrIpcEventSupport, 1},
    FixedAttribute{103, 1},  // CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    FixedAttribute{cudaDevAttrMemSyncDomainCount, 1},
    FixedAttribute{cudaDevAttrNumaId, -1},
};

// Features that simulated GPUs lack. Those without a name in the runtime: fabric handles, multicast.
constexpr std::array<int, 20> absent = {cudaDevAttrKernelExecTimeout,
                                        cudaDevAttrTccDriver,
                                        cudaDevAttrIsMultiGpuBoard,
                                        cudaDevAttrMultiGpuBoardGroupID,
                                        cudaDevAttrDirectManagedMemAccessFromHost,
                                        cudaDevAttrCanFlushRemoteWrites,
                                        cudaDevAttrSparseCudaArraySupported,
                                        cudaDevAttrHostRegisterReadOnlySupported,
                                        cudaDevAttrTimelineSemaphoreInteropSupported,
                                        cudaDevAttrGPUDirectRDMASupported,
                                        cudaDevAttrGPUDirectRDMAFlushWritesOptions,
                                        cudaDevAttrGPUDirectRDMAWritesOrdering,
                                        cudaDevAttrMemoryPoolSupportedHandleTypes,
                                        cudaDevAttrDeferredMappingCudaArraySupported,
                                        cudaDevAttrNumaConfig,
                                        cudaDevAttrMpsEnabled,
                                        cudaDevAttrD3D12CigSupported,
                                        cudaDevAttrVulkanCigSupported,
                                        128,
                                        132};

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

std::optional<int> attribute_of(const SimulatedGpu& gpu, int attribute) {
    if (const auto found = gpu.attributes.find(attribute); found != gpu.attributes.end()) return found->second;
    const auto same = [&](const auto& known) { return known.attribute == attribute; };
    if (const auto field = std::find_if(from_fields.begin(), from_fields.end(), same); field != from_fields.end()) {
        return static_cast<int>(gpu.*field->field);
    }
    if (const auto known = std::find_if(fixed.begin(), fixed.end(), same); known != fixed.end()) return known->value;
    if (std::ranges::find(absent, attribute) != absent.end()) return 0;
    return std::nullopt;
}

}  // namespace tocuda::simulator
