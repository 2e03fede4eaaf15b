// tocuda, Apache-2.0.
// The runtime's functions for devices: their number, the current one, properties, peers.
#include <cstdio>

#include "runtime/allocation.hpp"
#include "runtime/capture.hpp"
#include "runtime/properties.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    if (count) *count = 0;
    return answer(__func__, [&](const Call& call) {
        // Every program with LibTorch begins with this; its first operator may be one that computes.
        call.simulation.new_context = true;
        return write(count, static_cast<int>(call.simulation.devices.size()));
    });
}

cudaError_t cudaGetDevice(int* device) {
    return answer(__func__, [&](const Call& call) { return write(device, call.thread.device); });
}

cudaError_t cudaSetDevice(int device) {
    return answer_about(device, __func__, [&](const Call& call, Device& chosen) {
        call.thread.device = device;
        call.simulation.use(chosen);
        return cudaSuccess;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return answer_about(device, __func__, [](const Call& call, Device& chosen) {
        call.simulation.use(chosen);
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        call.simulation.device(call.thread.device).flags = flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return answer(__func__,
                  [&](const Call& call) { return write(flags, call.simulation.device(call.thread.device).flags); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return answer_about(device, __func__,
                        [&](const Call&, Device& chosen) { return write(properties, properties_of(chosen.profile)); });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return answer_about(device, __func__, [&](const Call&, Device& chosen) {
        if (!value) return cudaErrorInvalidValue;
        const auto known = attribute_of(chosen.profile, attribute);
        if (!known) {
            char what[64];
            std::snprintf(what, sizeof what, "cudaDeviceGetAttribute(%d)", static_cast<int>(attribute));
            return unsupported(what);
        }
        return write(value, *known);
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return answer_about(device, __func__, [&](const Call&, Device& chosen) {
        if (!text || length < 13) return cudaErrorInvalidValue;
        const auto& gpu = chosen.profile;
        std::snprintf(text, static_cast<std::size_t>(length), "%04X:%02X:%02X.0",
                      static_cast<unsigned>(gpu.pci_domain & 0xffff), static_cast<unsigned>(gpu.pci_bus & 0xff),
                      static_cast<unsigned>(gpu.pci_device & 0xff));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return answer(__func__, [](const Call& call) {
        call.device();
        const cudaError_t refused = refuses_waiting(call, call.thread.device);
        if (refused != cudaSuccess) return refused;
        call.wait_for_device(call.thread.device);
        return cudaSuccess;
    });
}

// For a program that has used plain allocations and the default stream only.
cudaError_t cudaDeviceReset() {
    return answer(__func__, [](const Call& call) -> cudaError_t {
        Device& device = call.simulation.device(call.thread.device);
        if (device.streams.size() > 1) return unsupported("cudaDeviceReset with streams");
        call.wait_for_device(device.number);
        for (const Allocation& each : call.simulation.memory.plain_on(device.number)) {
            const cudaError_t wrong = give_back_device_memory(call.simulation, each);
            if (wrong != cudaSuccess) return wrong;
        }
        call.simulation.drop_context(device);
        return device.used_bytes() == 0 ? cudaSuccess : unsupported("cudaDeviceReset with memory of pools");
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
    return answer_about(device, __func__, [&](const Call& call, Device&) {
        if (!call.simulation.has_device(peer)) return cudaErrorInvalidDevice;
        return write(possible, device != peer && call.simulation.profile.peer_access ? 1 : 0);
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        if (!call.simulation.has_device(peer) || peer == call.thread.device) return cudaErrorInvalidDevice;
        if (flags != 0) return cudaErrorInvalidValue;
        if (!call.simulation.profile.peer_access) return cudaErrorPeerAccessUnsupported;
        return call.device().peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return answer_about(peer, __func__, [&](const Call& call, Device&) {
        return call.device().peers.erase(peer) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
    return answer_about(device, __func__, [&](const Call& call, Device&) {
        if (!call.simulation.has_device(peer) || peer == device) return cudaErrorInvalidDevice;
        if (attribute != cudaDevP2PAttrAccessSupported)
            return unsupported("cudaDeviceGetP2PAttribute other than access");
        return write(value, call.simulation.profile.peer_access ? 1 : 0);
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    return remembered(write(version, Simulation::here().profile.driver_version));
}

cudaError_t cudaRuntimeGetVersion(int* version) { return remembered(write(version, CUDART_VERSION)); }

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
}  // namespace tocuda::simulator
