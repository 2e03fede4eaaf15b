// tocuda, Apache-2.0.
// Makes the trial of the way that the parameter `through` names.
#include "framework/two_ways.hpp"

#include <utility>

#include "measurement/room.hpp"

namespace tocuda {

Trial TwoWays::trial(const Parameters& set) {
    const auto bytes = whole(set, "bytes");
    auto way = text(set, "through") == "libtorch" ? by_libtorch(set) : by_runtime(set);
    return {.bytes_one_way = touched == 0 ? 0 : bytes,
            .bytes_touched = touched * bytes,
            .peak = peak(),
            .compared = std::move(way.compared),
            .differs = std::move(way.differs),
            .prepare = std::move(way.prepare),
            .call = std::move(way.call)};
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
