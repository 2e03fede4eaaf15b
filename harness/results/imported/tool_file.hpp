// tocuda, Apache-2.0.
// What the result file of another tool says, in our values. One file of this room reads one tool; what a number means
// (what a sample is, which bytes count) is a table there. Only files of this room include it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "imported/foreign_json.hpp"
#include "model/machine.hpp"
#include "model/measurement.hpp"

namespace tocuda::imported {

struct ToolFile {
    std::string tool{};
    std::optional<std::string> version{};
    int convention = 1;
    std::optional<std::string> time{};  // as written there
    std::optional<std::string> host{};
    std::optional<std::string> driver{};
    std::optional<std::string> driver_cuda{};  // the newest CUDA that it supports
    std::optional<std::string> cuda_runtime{};
    std::map<int, Gpu> gpus{};          // by index; `uuid` is where it is on its host
    bool on_gpu = false;                // the tool measures nothing else
    Clock clock = Clock::host;          // of rows without a value
    std::deque<MeasurementRow> rows{};  // `id` and `device` are left open; `gpu` and `peer` are as in `gpus`
    std::vector<Unavailable> unavailable{};
    bool cut_off = false;
};

// A row of one value.
MeasurementRow timed(std::string benchmark, Parameters parameters, Clock clock, double seconds, Printed printed);
// A row without a value, and why there is none.
MeasurementRow untimed(std::string benchmark, Parameters parameters, Status status, std::string why);

// The GPU of this index, of which the file may say no more.
const std::string& gpu_at(ToolFile& file, int index);

// Whether the rate that a tool prints is these bytes in this time: otherwise they do not mean what is assumed.
bool is_rate_of(double printed, double bytes, double seconds);

std::string cuda_version(std::int64_t number);  // 12080 -> "12.8"

// All throw Unreadable.
ToolFile read_nvbandwidth(const Document& document);
ToolFile read_nccl_tests(const Document& document);
ToolFile read_nvbench(const Document& document);
ToolFile read_google_benchmark(const Document& document);
ToolFile read_babelstream(std::string_view text);

}  // namespace tocuda::imported
