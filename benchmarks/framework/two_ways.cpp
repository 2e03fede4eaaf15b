// tocuda, Apache-2.0.
// Makes the trial of the way that the parameter `through` names.
#include "benchmarks/framework/two_ways.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

#include "measurement/cuda_objects.hpp"
#include "measurement/payload.hpp"
#include "measurement/room.hpp"

namespace tocuda {

at::Tensor payload_tensor(std::size_t bytes, Pages pages) {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(pages == Pages::pinned);
    auto tensor = at::empty({static_cast<std::int64_t>(bytes)}, options);
    write_payload(std::span(static_cast<std::byte*>(tensor.mutable_data_ptr()), bytes), 0);
    return tensor;
}

at::Tensor first(const at::Tensor& tensor, std::size_t bytes) {
    return tensor.narrow(0, 0, static_cast<std::int64_t>(bytes));
}

std::string unlike_payload(const std::byte* found, std::size_t bytes) {
    const auto place = first_unlike_payload(std::span(found, bytes), 0);
    return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) + " differs" : "";
}

std::string unlike_payload(const at::Tensor& found, std::size_t bytes) {
    if (found.nbytes() != bytes) return std::to_string(found.nbytes()) + " bytes instead of " + std::to_string(bytes);
    const auto here = found.cpu();
    return unlike_payload(static_cast<const std::byte*>(here.const_data_ptr()), bytes);
}

// LibTorch's current stream is the default stream, because these benchmarks never choose another.
void until_done() { require("cudaStreamSynchronize", cudaStreamSynchronize(nullptr)); }

Trial TwoWays::trial(const Parameters& set) {
    const auto bytes = whole(set, "bytes");
    auto way = text(set, "through") == "libtorch" ? by_libtorch(set) : by_runtime(set);
    return {.bytes_one_way = touched == 0 ? 0 : bytes,
            .bytes_touched = touched * bytes,
            .peak = peak(),
            .compared = std::move(way.compared),
            .differs = std::move(way.differs),
            .prepare = std::move(way.prepare),
            .timing = Called{std::move(way.call)},
            .flags = std::move(way.flags)};
}

Benchmark described_two_ways(const std::string& name, const std::string& summary,
                             std::map<std::string, Values> parameters, Values full_bytes) {
    parameters["through"] = {"libtorch", "runtime"};
    return {.name = "framework/" + name,
            .summary = summary,
            .clock = Clock::host,
            .parameters = std::move(parameters),
            .quick = {{"bytes", {}}},
            .full = {{"bytes", std::move(full_bytes)}},
            .alternates = "through",
            .needs = {.gpus = 1}};
}

Needed times(std::size_t on_host, std::size_t on_device) {
    return [=](const Parameters& set) {
        const auto bytes = allocated_bytes({bytes_of(set)});
        Room room;
        for (std::size_t i = 0; i < on_host; ++i) room.host_bytes = allocated_bytes({room.host_bytes, bytes});
        for (std::size_t i = 0; i < on_device; ++i) room.device_bytes = allocated_bytes({room.device_bytes, bytes});
        return room;
    };
}

}  // namespace tocuda
