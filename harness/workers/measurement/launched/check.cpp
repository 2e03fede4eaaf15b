// tocuda, Apache-2.0.
// Launches the check's kernels. nvcc compiles this file for the GPU, the C++ compiler for the worker with simulated
// GPUs.
#include "measurement/check.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "measurement/check_kernels.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace {

constexpr unsigned long long nowhere = std::numeric_limits<unsigned long long>::max();

// Each thread handles several words, so that few threads keep a GPU busy; the CPU uses one thread.
Grid grid_for(std::size_t bytes, std::size_t touched) {
    if (!launches_on_gpu) return {.bytes_touched = touched};
    constexpr unsigned threads = 256;
    const auto blocks = std::clamp(parts(bytes, threads * 4 * sizeof(Word)), std::size_t{1}, std::size_t{4096});
    return {.blocks = static_cast<unsigned>(blocks), .threads = threads, .bytes_touched = touched};
}

template <class Kernel, class... Arguments>
Place lowest_place(const Stream& stream, std::size_t bytes, std::size_t touched, Kernel kernel,
                   Arguments... arguments) {
    if (bytes == 0) return std::nullopt;
    Findings findings{.lowest = nowhere, .compared = 0};
    const DeviceMemory memory(sizeof findings);
    upload(memory.get(), std::as_bytes(std::span(&findings, 1)), stream);
    launch(stream, grid_for(bytes, touched), kernel, arguments..., reinterpret_cast<Findings*>(memory.get()));
    download(std::as_writable_bytes(std::span(&findings, 1)), memory.get(), stream);
    if (findings.lowest != nowhere) return findings.lowest;
    if (findings.compared != bytes)
        throw std::runtime_error("the check compared only " + std::to_string(findings.compared) + " of " +
                                 std::to_string(bytes) + " bytes");
    return std::nullopt;
}

}  // namespace

void write_payload(const Stream& stream, std::span<std::byte> to, std::size_t place) {
    if (!to.empty()) launch(stream, grid_for(to.size(), to.size()), WritePayload{}, to.data(), to.size(), place);
    stream.synchronize();
}

Place first_unlike_payload(const Stream& stream, std::span<const std::byte> found, std::size_t place) {
    return lowest_place(stream, found.size(), found.size(), FirstUnlikePayload{}, found.data(), found.size(), place);
}

Place first_unlike(const Stream& stream, std::span<const std::byte> found, std::byte value) {
    return lowest_place(stream, found.size(), found.size(), FirstUnlike{}, found.data(), found.size(), value);
}

Place first_difference(const Stream& stream, std::span<const std::byte> expected, std::span<const std::byte> found) {
    const auto bytes = std::min(expected.size(), found.size());
    const auto place = lowest_place(stream, bytes, 2 * bytes, FirstDifference{}, expected.data(), found.data(), bytes);
    return place || expected.size() == found.size() ? place : Place(bytes);
}

}  // namespace tocuda
