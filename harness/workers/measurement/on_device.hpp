// tocuda, Apache-2.0.
// Another GPU as the current one for a while.
#pragma once

#include <cuda_runtime_api.h>

#include "measurement/cuda_error.hpp"

namespace tocuda {

// Changes the current device for its own lifetime.
class OnDevice {
public:
    explicit OnDevice(int device) {
        require("cudaGetDevice", cudaGetDevice(&before));
        require("cudaSetDevice", cudaSetDevice(device));
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() { static_cast<void>(cudaSetDevice(before)); }

private:
    int before = 0;
};

}  // namespace tocuda
