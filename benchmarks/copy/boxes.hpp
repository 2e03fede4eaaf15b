// tocuda, Apache-2.0.
// What the benchmarks of two- and three-dimensional copies share: `bytes` in rows of `width` bytes, in `slices` of
// equally many rows, and the gaps between them.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "kernels/box.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"

namespace tocuda {

// Its rows are none if `bytes` are too few.
inline Box box_of(const Parameters& set) {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, whole(set, "width")));
    const auto slices = static_cast<std::size_t>(std::max<std::int64_t>(1, whole(set, "slices")));
    return {.width = width, .rows = bytes_of(set) / width / slices, .slices = slices};
}

inline std::map<std::string, Allowed> allowed_boxes(std::map<std::string, Allowed> more) {
    more.merge(std::map<std::string, Allowed>{{"bytes", {.least = 1, .most = std::int64_t{1} << 48}},
                                              {"width", {.least = 1, .most = mib}},
                                              {"slices", {.least = 1, .most = 65536}}});
    return more;
}

inline std::string why_no_box(const Parameters& set) {
    const auto box = box_of(set);
    if (box.rows > 0 && box.bytes() == bytes_of(set)) return "";
    const auto slices = box.slices == 1 ? "" : std::to_string(box.slices) + " slices of ";
    return slices + "whole rows of " + std::to_string(box.width) + " bytes are needed; " +
           std::to_string(bytes_of(set)) + " bytes are not a multiple of that";
}

// Rows begin `stride` widths apart, and one that is not copied follows each of several slices.
inline BoxPlace with_gaps(const Box& box, std::byte* start, std::size_t stride) {
    const auto pitch = stride * box.width;
    return {start, pitch, (box.rows + (box.slices > 1 ? 1 : 0)) * pitch};
}
inline std::size_t bytes_with_gaps(const Box& box, std::size_t stride) {
    return box.slices * with_gaps(box, nullptr, stride).slice;
}

// One call of cudaMemcpy2DAsync.
inline void copy_slice(const Box& box, std::size_t slice, const BoxPlace& to, const BoxPlace& from, cudaMemcpyKind kind,
                       const Stream& on) {
    require("cudaMemcpy2DAsync",
            cudaMemcpy2DAsync(to.start + slice * to.slice, to.pitch, from.start + slice * from.slice, from.pitch,
                              box.width, box.rows, kind, on.get()));
}

// Also the form of the parameters of copies between GPUs.
template <class Form>
Form form_of(const Box& box, const BoxPlace& to, const BoxPlace& from) {
    const auto pitched = [](const BoxPlace& place) {
        return cudaPitchedPtr{place.start, place.pitch, place.pitch, place.slice / place.pitch};
    };
    Form form{};
    form.dstPtr = pitched(to);
    form.srcPtr = pitched(from);
    form.extent = {box.width, box.rows, box.slices};
    return form;
}

inline void copy_box(const Box& box, const BoxPlace& to, const BoxPlace& from, cudaMemcpyKind kind, const Stream& on) {
    if (box.slices == 1) return copy_slice(box, 0, to, from, kind, on);
    auto form = form_of<cudaMemcpy3DParms>(box, to, from);
    form.kind = kind;
    require("cudaMemcpy3DAsync", cudaMemcpy3DAsync(&form, on.get()));
}

}  // namespace tocuda
