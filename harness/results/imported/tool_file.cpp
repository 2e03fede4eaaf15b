// tocuda, Apache-2.0.
#include "imported/tool_file.hpp"

#include <fmt/core.h>

#include <cmath>

namespace tocuda::imported {

MeasurementRow timed(std::string benchmark, Parameters parameters, Clock clock, double seconds, Printed printed) {
    if (!(seconds > 0) || !std::isfinite(seconds) || !std::isfinite(printed.value))
        return untimed(std::move(benchmark), std::move(parameters), Status::invalid, "its value is no number above 0");
    MeasurementRow row{};
    row.benchmark = std::move(benchmark);
    row.imported = std::move(printed);
    row.samples.parameters = std::move(parameters);
    row.samples.clock = clock;
    row.samples.batch = 1;
    row.samples.seconds = {seconds};
    row.samples.check = "as the tool says";
    return row;
}

MeasurementRow untimed(std::string benchmark, Parameters parameters, Status status, std::string why) {
    MeasurementRow row{};
    row.benchmark = std::move(benchmark);
    row.samples.parameters = std::move(parameters);
    row.samples.status = status;
    row.samples.check = std::move(why);
    return row;
}

const std::string& gpu_at(ToolFile& file, int index) {
    auto& gpu = file.gpus[index];
    gpu.index = index;
    if (!gpu.uuid) gpu.uuid = fmt::format("device {}", index);
    return *gpu.uuid;
}

bool is_rate_of(double printed, double bytes, double seconds) {
    constexpr double rounding = 0.01;
    return std::abs(printed * seconds - bytes) <= rounding * bytes;
}

std::string cuda_version(std::int64_t number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

}  // namespace tocuda::imported
