// tocuda, Apache-2.0.
// The state of a host thread: its current device, its last error, its default stream on each device.
#pragma once

#include <cuda_runtime_api.h>

#include <map>

namespace tocuda::simulator {

class Stream;

// Trivially destructible, because libraries call the runtime while a thread, or the program, is already ending.
struct Thread {
    int device = 0;
    cudaError_t last_error = cudaSuccess;
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    std::map<int, Stream*>* default_streams = nullptr;

    Stream*& default_stream(int of_device) {
        if (default_streams == nullptr) default_streams = new std::map<int, Stream*>;
        return (*default_streams)[of_device];
    }

    static Thread& mine() {
        static thread_local Thread thread;
        return thread;
    }
};

}  // namespace tocuda::simulator
