// tocuda, Apache-2.0.
// The simulated cuBLASLt: descriptors, and one algorithm that needs no workspace. Products are not computed.
#include <cstddef>
#include <cstdint>

#include "blas/blas_call.hpp"

namespace {

using tocuda::simulator::blas_invalid_value;
using tocuda::simulator::blas_not_supported;
using tocuda::simulator::blas_success;

struct Descriptor {
    int kind = 0;
};

struct HeuristicResult {
    std::uint64_t algorithm[8];
    std::size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};

int create(Descriptor** descriptor) {
    if (descriptor == nullptr) return blas_invalid_value;
    *descriptor = new Descriptor;
    return blas_success;
}

int destroy(Descriptor* descriptor) {
    delete descriptor;
    return blas_success;
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return TOCUDA_BLAS_VERSION; }

int cublasLtCreate(Descriptor** handle) { return create(handle); }
int cublasLtDestroy(Descriptor* handle) { return destroy(handle); }
int cublasLtMatmulDescCreate(Descriptor** descriptor, int, int) { return create(descriptor); }
int cublasLtMatmulDescDestroy(Descriptor* descriptor) { return destroy(descriptor); }
int cublasLtMatrixLayoutCreate(Descriptor** descriptor, int, std::uint64_t, std::uint64_t, std::int64_t) {
    return create(descriptor);
}
int cublasLtMatrixLayoutDestroy(Descriptor* descriptor) { return destroy(descriptor); }
int cublasLtMatmulPreferenceCreate(Descriptor** descriptor) { return create(descriptor); }
int cublasLtMatmulPreferenceDestroy(Descriptor* descriptor) { return destroy(descriptor); }

int cublasLtMatmulAlgoGetHeuristic(Descriptor*, Descriptor*, Descriptor*, Descriptor*, Descriptor*, Descriptor*,
                                   Descriptor*, int room, HeuristicResult* results, int* count) {
    if (results == nullptr || count == nullptr || room < 1) return blas_invalid_value;
    results[0] = {};
    results[0].waves = 1;
    *count = 1;
    return blas_success;
}

// The one algorithm does not really exist, so it has no attributes.
int cublasLtMatmulAlgoConfigGetAttribute() { return blas_not_supported; }
int cublasLtMatmulAlgoCapGetAttribute() { return blas_not_supported; }

}  // extern "C"
