// tocuda, Apache-2.0.
// The driver's functions that describe an array for the copy unit of Hopper. Kernels that would use the description are
// not executed, so it stays empty.
#include <cuda.h>

namespace tocuda::simulator {
namespace {

CUresult describe(CUtensorMap* map, unsigned dimensions, const void* address) {
    constexpr unsigned most_dimensions = 5;
    if (!map || !address || dimensions == 0 || dimensions > most_dimensions) return CUDA_ERROR_INVALID_VALUE;
    *map = {};
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t dimensions, void* address,
                                const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
    return describe(map, dimensions, address);
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType, cuuint32_t dimensions, void* address,
                                 const cuuint64_t*, const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                 const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
    return describe(map, dimensions, address);
}

}  // extern "C"

}  // namespace tocuda::simulator
