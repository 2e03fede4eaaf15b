// tocuda, Apache-2.0.
// Owned handles of a stream of the current GPU and of an event on it.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "measurement/cuda_error.hpp"

namespace tocuda {

class Event;

class Stream {
public:
    Stream() {
        cudaStream_t fresh = nullptr;
        require("cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(&fresh, cudaStreamNonBlocking));
        handle.reset(fresh);
    }
    cudaStream_t get() const { return handle.get(); }
    void wait_for(const Event& event) const;  // delays later work in this stream, not the caller
    void synchronize() const { require("cudaStreamSynchronize", cudaStreamSynchronize(get())); }

private:
    struct Destroy {
        void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> handle{};
};

class Event {
public:
    // With cudaEventDisableTiming it only marks a place in a stream.
    explicit Event(unsigned flags = cudaEventDefault) {
        cudaEvent_t fresh = nullptr;
        require("cudaEventCreateWithFlags", cudaEventCreateWithFlags(&fresh, flags));
        handle.reset(fresh);
    }
    cudaEvent_t get() const { return handle.get(); }
    void record(const Stream& stream) const { require("cudaEventRecord", cudaEventRecord(get(), stream.get())); }
    void synchronize() const { require("cudaEventSynchronize", cudaEventSynchronize(get())); }
    bool reached() const {
        const auto answer = cudaEventQuery(get());
        if (answer != cudaErrorNotReady) require("cudaEventQuery", answer);
        return answer == cudaSuccess;
    }

private:
    struct Destroy {
        void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> handle{};
};

inline void Stream::wait_for(const Event& event) const {
    require("cudaStreamWaitEvent", cudaStreamWaitEvent(get(), event.get(), 0));
}

// Both events must have been reached: the caller has synchronised.
inline double seconds_between(const Event& first, const Event& second) {
    float milliseconds = 0;
    require("cudaEventElapsedTime", cudaEventElapsedTime(&milliseconds, first.get(), second.get()));
    return double{milliseconds} / 1e3;
}

}  // namespace tocuda
