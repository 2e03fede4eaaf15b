// tocuda, Apache-2.0.
// Queries the CUDA runtime.
#include "measurement/gpu/current_device.hpp"

#include <array>
#include <cstdio>

#include "measurement/cuda_error.hpp"

namespace tocuda {

int current_device() {
    int device = 0;
    require("cudaGetDevice", cudaGetDevice(&device));
    return device;
}

int attribute(cudaDeviceAttr which) {
    int value = 0;
    require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&value, which, current_device()));
    return value;
}

std::string uuid_of_current_device() {
    cudaDeviceProp properties{};
    require("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, current_device()));
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(properties.uuid.bytes[i])));
        text += digits.data();
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return text;
}

std::string bus_id_of_current_device() {
    std::array<char, 64> text{};
    require("cudaDeviceGetPCIBusId",
            cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), current_device()));
    return text.data();
}

}  // namespace tocuda
