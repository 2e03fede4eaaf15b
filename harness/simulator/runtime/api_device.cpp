// tocuda, Apache-2.0.
// The runtime's functions for devices: their number, the current one, properties, peers.
#include <cstdio>

#include "runtime/answer.hpp"
#include "runtime/properties.hpp"
#include "runtime/unsupported.hpp"

using tocuda::simulator::answer;
using tocuda::simulator::Call;
using tocuda::simulator::Device;
using tocuda::simulator::Simulation;
using tocuda::simulator::Thread;

namespace {

template <typename Body>
cudaError_t with_device(const char* function, int device, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        if (device < 0 || device >= static_cast<int>(call.simulation.devices.size())) return cudaErrorInvalidDevice;
        return body(call, *call.simulation.devices[static_cast<std::size_t>(device)]);
    });
}

bool is_device(const Call& call, int device) {
    return device >= 0 && device < static_cast<int>(call.simulation.devices.size());
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    if (count != nullptr) *count = 0;
    return answer("cudaGetDeviceCount", [&](const Call& call) {
        if (count == nullptr) return cudaErrorInvalidValue;
        *count = static_cast<int>(call.simulation.devices.size());
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device) {
    return answer("cudaGetDevice", [&](const Call& call) {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = call.thread.device;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    return with_device("cudaSetDevice", device, [&](const Call& call, Device& chosen) {
        call.thread.device = device;
        chosen.make_context();
        return cudaSuccess;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return with_device("cudaInitDevice", device, [](const Call&, Device& chosen) {
        chosen.make_context();
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned) {
    return answer("cudaSetDeviceFlags", [](const Call&) { return cudaSuccess; });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return answer("cudaGetDeviceFlags", [&](const Call&) {
        *flags = cudaDeviceScheduleAuto;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return with_device("cudaGetDeviceProperties", device, [&](const Call&, Device& chosen) {
        if (properties == nullptr) return cudaErrorInvalidValue;
        *properties = tocuda::simulator::properties_of(chosen.profile);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return with_device("cudaDeviceGetAttribute", device, [&](const Call&, Device& chosen) {
        if (value == nullptr) return cudaErrorInvalidValue;
        const auto known = tocuda::simulator::attribute_of(chosen.profile, attribute);
        if (!known) {
            char what[64];
            std::snprintf(what, sizeof what, "cudaDeviceGetAttribute(%d)", static_cast<int>(attribute));
            return static_cast<cudaError_t>(tocuda::simulator::unsupported(what));
        }
        *value = *known;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return with_device("cudaDeviceGetPCIBusId", device, [&](const Call&, Device& chosen) {
        if (text == nullptr || length < 13) return cudaErrorInvalidValue;
        const auto& gpu = chosen.profile;
        std::snprintf(text, static_cast<std::size_t>(length), "%04X:%02X:%02X.0",
                      static_cast<unsigned>(gpu.pci_domain & 0xffff), static_cast<unsigned>(gpu.pci_bus & 0xff),
                      static_cast<unsigned>(gpu.pci_device & 0xff));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return answer("cudaDeviceSynchronize", [](const Call& call) {
        call.device();
        call.simulation.wait_for_device(call.lock, call.thread.device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
    return with_device("cudaDeviceCanAccessPeer", device, [&](const Call& call, Device&) {
        if (!is_device(call, peer)) return cudaErrorInvalidDevice;
        *possible = device != peer && call.simulation.profile.peer_access ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return answer("cudaDeviceEnablePeerAccess", [&](const Call& call) {
        if (!is_device(call, peer) || peer == call.thread.device) return cudaErrorInvalidDevice;
        if (flags != 0) return cudaErrorInvalidValue;
        if (!call.simulation.profile.peer_access) return cudaErrorPeerAccessUnsupported;
        return call.device().peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return answer("cudaDeviceDisablePeerAccess", [&](const Call& call) {
        if (!is_device(call, peer)) return cudaErrorInvalidDevice;
        return call.device().peers.erase(peer) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
    return with_device("cudaDeviceGetP2PAttribute", device, [&](const Call& call, Device&) {
        if (!is_device(call, peer) || peer == device) return cudaErrorInvalidDevice;
        if (attribute != cudaDevP2PAttrAccessSupported) {
            return static_cast<cudaError_t>(
                tocuda::simulator::unsupported("cudaDeviceGetP2PAttribute other than access"));
        }
        *value = call.simulation.profile.peer_access ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (version == nullptr) return tocuda::simulator::remembered(cudaErrorInvalidValue);
    *version = Simulation::here().profile.driver_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return tocuda::simulator::remembered(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
