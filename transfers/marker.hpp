// tocuda, Apache-2.0.
// A CUDA event that can be waited for. It records no time stamp, unlike the events of a clock.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "measurement/cuda_error.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

class Marker {
public:
    Marker() {
        cudaEvent_t fresh = nullptr;
        require("cudaEventCreateWithFlags", cudaEventCreateWithFlags(&fresh, cudaEventDisableTiming));
        handle.reset(fresh);
    }
    void record(const Stream& stream) const { require("cudaEventRecord", cudaEventRecord(handle.get(), stream.get())); }
    void wait() const { require("cudaEventSynchronize", cudaEventSynchronize(handle.get())); }
    void hold_back(const Stream& stream) const {
        require("cudaStreamWaitEvent", cudaStreamWaitEvent(stream.get(), handle.get(), 0));
    }

private:
    struct Destroy {
        void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> handle{};
};

}  // namespace tocuda
