// tocuda, Apache-2.0.
// What a process owns of CUDA's runtime: memory of a GPU, streams and events, the current GPU; and its errors.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tocuda {

// The exception for a failed call of the CUDA runtime: names the call and the runtime's error.
struct CudaError : std::runtime_error {
    CudaError(const std::string& call, cudaError_t error)
        : std::runtime_error(call + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error)), code(error) {}
    cudaError_t code;
};

inline void require(const char* call, cudaError_t error) {
    if (error != cudaSuccess) throw CudaError(call, error);
}

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

// Owned handles of a stream of the current GPU and of an event on it.
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

// Owned memory of the current GPU, and copies to it and back.
class DeviceMemory {
public:
    explicit DeviceMemory(std::size_t bytes) {
        void* fresh = nullptr;
        require("cudaMalloc", cudaMalloc(&fresh, bytes));
        handle.reset(static_cast<std::byte*>(fresh));
    }
    std::byte* get() const { return handle.get(); }

private:
    struct Free {
        void operator()(std::byte* memory) const { cudaFree(memory); }
    };
    std::unique_ptr<std::byte, Free> handle{};
};

// Both wait until the bytes have arrived.
inline void upload(std::byte* to, std::span<const std::byte> from, const Stream& stream) {
    require("cudaMemcpyAsync", cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream.get()));
    stream.synchronize();
}

inline void download(std::span<std::byte> to, const std::byte* from, const Stream& stream) {
    require("cudaMemcpyAsync", cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();
}

inline std::size_t free_device_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    require("cudaMemGetInfo", cudaMemGetInfo(&free, &total));
    return free;
}

// One value in host memory that the GPU can access too.
template <class Content>
class MappedMemory {
    static_assert(std::is_trivially_destructible_v<Content>);

public:
    MappedMemory() {
        void* fresh = nullptr;
        require("cudaHostAlloc", cudaHostAlloc(&fresh, sizeof(Content), cudaHostAllocMapped));
        handle.reset(new (fresh) Content{});
        void* seen = nullptr;
        require("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&seen, fresh, 0));
        from_device = static_cast<Content*>(seen);
    }
    Content* host() const { return handle.get(); }
    Content* device() const { return from_device; }

private:
    struct Free {
        void operator()(Content* memory) const { cudaFreeHost(memory); }
    };
    std::unique_ptr<Content, Free> handle{};
    Content* from_device = nullptr;
};

}  // namespace tocuda
