// tocuda, Apache-2.0.
#include "runtime/transfer.hpp"

namespace tocuda::simulator {

cudaError_t Transfer::shape_error() const {
    if (width > target_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
    const bool apart = slices <= 1 || (target_slice >= height * target_pitch && source_slice >= height * source_pitch);
    return apart ? cudaSuccess : cudaErrorInvalidValue;
}

// A single row needs no pitch.
Transfer Transfer::boxed(const cudaPitchedPtr& target, const cudaPos& to, const cudaPitchedPtr& source,
                         const cudaPos& from, const cudaExtent& extent, cudaMemcpyKind kind) {
    const auto start = [](const cudaPitchedPtr& memory, const cudaPos& at) {
        return static_cast<char*>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
    };
    const bool one_row = extent.height == 1 && extent.depth == 1;
    return {.target = start(target, to),
            .target_pitch = one_row ? extent.width : target.pitch,
            .source = start(source, from),
            .source_pitch = one_row ? extent.width : source.pitch,
            .width = extent.width,
            .height = extent.height,
            .kind = kind,
            .slices = extent.depth,
            .target_slice = target.pitch * target.ysize,
            .source_slice = source.pitch * source.ysize};
}

}  // namespace tocuda::simulator
