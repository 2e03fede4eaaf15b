// tocuda, Apache-2.0.
// Attributes of a simulated GPU by number: from the profile's own list, then its fields, then what holds for every GPU.
#include <algorithm>
#include <array>

#include "runtime/properties.hpp"

namespace tocuda::simulator {
namespace {

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
    FixedAttribute{cudaDevAttrMemSyncDomainCount, 1},
    FixedAttribute{cudaDevAttrNumaId, -1},
};

// Features that simulated GPUs lack. Those without a name in the runtime: handles that other processes can open, fabric
// handles, multicast.
constexpr std::array<int, 23> absent = {cudaDevAttrKernelExecTimeout,
                                        cudaDevAttrTccDriver,
                                        cudaDevAttrIsMultiGpuBoard,
                                        cudaDevAttrMultiGpuBoardGroupID,
                                        cudaDevAttrPageableMemoryAccessUsesHostPageTables,
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
                                        cudaDevAttrIpcEventSupport,
                                        cudaDevAttrNumaConfig,
                                        cudaDevAttrMpsEnabled,
                                        cudaDevAttrD3D12CigSupported,
                                        cudaDevAttrVulkanCigSupported,
                                        103,
                                        128,
                                        132};

}  // namespace

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
