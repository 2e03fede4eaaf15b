// tocuda, Apache-2.0.
// Covers the target with guards, runs the operation and compares on the GPU.
#include <cuda_runtime_api.h>

#include "measurement/check.hpp"

namespace tocuda {
std::string Guarded::what_differs(const Stream& stream, std::size_t bytes, const std::function<void()>& operation,
                                  std::size_t offset, std::size_t place) const {
    require("cudaMemsetAsync", cudaMemsetAsync(memory.get(), std::to_integer<int>(guard),
                                               guard_bytes + offset + bytes + guard_bytes, stream.get()));
    stream.synchronize();  // the operation may use another stream
    operation();
    require("cudaDeviceSynchronize", cudaDeviceSynchronize());
    const std::span<const std::byte> all(memory.get(), allocated(room));
    const auto start = guard_bytes + offset;
    if (const auto at = first_unlike(stream, all.first(start), guard))
        return byte_differs(static_cast<std::ptrdiff_t>(*at) - static_cast<std::ptrdiff_t>(start), bytes);
    if (const auto at = first_unlike_payload(stream, all.subspan(start, bytes), place))
        return byte_differs(static_cast<std::ptrdiff_t>(*at), bytes);
    if (const auto at = first_unlike(stream, all.subspan(start + bytes, guard_bytes), guard))
        return byte_differs(static_cast<std::ptrdiff_t>(bytes + *at), bytes);
    return "";
}

}  // namespace tocuda
