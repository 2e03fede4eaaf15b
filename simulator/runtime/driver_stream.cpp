// tocuda, Apache-2.0.
// The driver's functions that fill memory in words and write flags, which LibTorch's symmetric memory uses.
#include "runtime/driver_memory.hpp"
#include "runtime/transfer.hpp"

namespace tocuda::simulator {
namespace {

CUresult set_words(const char* function, CUdeviceptr address, unsigned value, std::size_t count, CUstream stream) {
    return drive(function, [&](const Call& call) {
        if (address % sizeof value != 0) return CUDA_ERROR_INVALID_VALUE;
        const std::size_t bytes = count * sizeof value;
        const Fill words{reinterpret_cast<void*>(address), bytes, bytes, 1, static_cast<int>(value), sizeof value};
        return static_cast<CUresult>(fill(call, words, stream));
    });
}

}  // namespace

extern "C" {

CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream) {
    return set_words(__func__, address, value, count, stream);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
    return set_words(__func__, address, value, 1, stream);
}

}  // extern "C"
}  // namespace tocuda::simulator
