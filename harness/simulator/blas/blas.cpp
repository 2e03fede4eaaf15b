// tocuda, Apache-2.0.
// The simulated cuBLAS: handles and their settings. Products are not computed; all other functions are generated.
#include "blas/blas_call.hpp"

namespace {

using tocuda::simulator::blas_invalid_value;
using tocuda::simulator::blas_success;

struct Handle {
    void* stream = nullptr;
    int math_mode = 0;
    int pointer_mode = 0;
};

template <typename Value>
int set(Handle* handle, Value Handle::* field, Value value) {
    if (handle == nullptr) return blas_invalid_value;
    handle->*field = value;
    return blas_success;
}

template <typename Value>
int get(const Handle* handle, Value Handle::* field, Value* value) {
    if (handle == nullptr || value == nullptr) return blas_invalid_value;
    *value = handle->*field;
    return blas_success;
}

}  // namespace

extern "C" {

int cublasCreate_v2(Handle** handle) {
    if (handle == nullptr) return blas_invalid_value;
    *handle = new Handle;
    return blas_success;
}

int cublasDestroy_v2(Handle* handle) {
    delete handle;
    return blas_success;
}

int cublasGetVersion_v2(Handle*, int* version) {
    if (version == nullptr) return blas_invalid_value;
    *version = TOCUDA_BLAS_VERSION;
    return blas_success;
}

int cublasSetStream_v2(Handle* handle, void* stream) { return set(handle, &Handle::stream, stream); }
int cublasGetStream_v2(Handle* handle, void** stream) { return get(handle, &Handle::stream, stream); }
int cublasSetMathMode(Handle* handle, int mode) { return set(handle, &Handle::math_mode, mode); }
int cublasGetMathMode(Handle* handle, int* mode) { return get(handle, &Handle::math_mode, mode); }
int cublasSetPointerMode_v2(Handle* handle, int mode) { return set(handle, &Handle::pointer_mode, mode); }
int cublasGetPointerMode_v2(Handle* handle, int* mode) { return get(handle, &Handle::pointer_mode, mode); }

}  // extern "C"
