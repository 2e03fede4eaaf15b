// tocuda, Apache-2.0.
// The simulated cuBLAS and cuBLASLt: handles with their settings, descriptors, and one algorithm that needs no
// workspace. Products are not computed; all other functions are generated. Each of the two libraries exports its part.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace {

constexpr int success = 0;
constexpr int invalid_value = 7;
constexpr int not_supported = 15;

struct Handle {
    void* stream = nullptr;
    int math_mode = 0;
    int pointer_mode = 0;
};

struct HeuristicResult {
    std::uint64_t algorithm[8];
    std::size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

int create(Handle** handle) {
    if (!handle) return invalid_value;
    *handle = new Handle;
    return success;
}

int destroy(Handle* handle) {
    delete handle;
    return success;
}

template <typename Value>
int set(Handle* handle, Value Handle::* field, Value value) {
    if (!handle) return invalid_value;
    handle->*field = value;
    return success;
}

template <typename Value>
int get(const Handle* handle, Value Handle::* field, Value* value) {
    if (!handle || !value) return invalid_value;
    *value = handle->*field;
    return success;
}

// Functions with these words in their names only describe or set up something; all others compute.
bool computes(const char* name) {
    for (const char* word : {"Create", "Destroy", "Get", "Set", "Log", "Init", "Check", "Alloc", "Free", "Shutdown",
                             "Xerbla", "Disable"}) {
        if (std::strstr(name, word)) return false;
    }
    return true;
}

}  // namespace

extern "C" {

// Called by the functions that are generated from the real library's list of names. One that should compute counts as a
// kernel that was launched and not executed.
int tocuda_blas_called(const char* name) {
    using Tell = void (*)(const char*);
    static const auto tell = reinterpret_cast<Tell>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_not_executed"));
    if (tell && computes(name)) tell(name);
    return success;
}

int cublasCreate_v2(Handle** handle) { return create(handle); }
int cublasDestroy_v2(Handle* handle) { return destroy(handle); }

int cublasGetVersion_v2(Handle*, int* version) {
    if (!version) return invalid_value;
    *version = TOCUDA_BLAS_VERSION;
    return success;
}

int cublasSetStream_v2(Handle* handle, void* stream) { return set(handle, &Handle::stream, stream); }
int cublasGetStream_v2(Handle* handle, void** stream) { return get(handle, &Handle::stream, stream); }
int cublasSetMathMode(Handle* handle, int mode) { return set(handle, &Handle::math_mode, mode); }
int cublasGetMathMode(Handle* handle, int* mode) { return get(handle, &Handle::math_mode, mode); }
int cublasSetPointerMode_v2(Handle* handle, int mode) { return set(handle, &Handle::pointer_mode, mode); }
int cublasGetPointerMode_v2(Handle* handle, int* mode) { return get(handle, &Handle::pointer_mode, mode); }

std::size_t cublasLtGetVersion() { return TOCUDA_BLAS_VERSION; }

int cublasLtCreate(Handle** handle) { return create(handle); }
int cublasLtDestroy(Handle* handle) { return destroy(handle); }
int cublasLtMatmulDescCreate(Handle** descriptor, int, int) { return create(descriptor); }
int cublasLtMatmulDescDestroy(Handle* descriptor) { return destroy(descriptor); }
int cublasLtMatrixLayoutCreate(Handle** descriptor, int, std::uint64_t, std::uint64_t, std::int64_t) {
    return create(descriptor);
}
int cublasLtMatrixLayoutDestroy(Handle* descriptor) { return destroy(descriptor); }
int cublasLtMatmulPreferenceCreate(Handle** descriptor) { return create(descriptor); }
int cublasLtMatmulPreferenceDestroy(Handle* descriptor) { return destroy(descriptor); }

int cublasLtMatmulAlgoGetHeuristic(Handle*, Handle*, Handle*, Handle*, Handle*, Handle*, Handle*, int room,
                                   HeuristicResult* results, int* count) {
    if (!results || !count || room < 1) return invalid_value;
    results[0] = {};
    results[0].waves = 1;
    *count = 1;
    return success;
}

// The one algorithm does not really exist, so it has no attributes.
int cublasLtMatmulAlgoConfigGetAttribute() { return not_supported; }
int cublasLtMatmulAlgoCapGetAttribute() { return not_supported; }

}  // extern "C"
