// tocuda, Apache-2.0.
// What the probe saw of the driver, and the text that carries it from the child to tocuda: a line for each thing, key
// and value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

struct ProbeReport {
    std::optional<std::string> doing{};    // the last thing that it began: where it hung or crashed, if it did
    std::optional<std::string> library{};  // the libcuda.so.1 that was loaded
    std::optional<int> init{};             // cuInit's answer
    std::string init_text{};               // its name and text, where the driver has them
    std::optional<int> version{};          // 13000
    std::optional<int> devices{};          // that CUDA can see
    std::optional<std::string> nvml_library{};
    std::optional<std::string> nvml_driver{};  // "580.95.05"
    std::optional<int> nvml_devices{};         // on the machine, visible to CUDA or not
    std::vector<Gpu> gpus{};                   // in CUDA's order
    std::vector<Unavailable> unavailable{};
    bool finished = false;  // it lived to say its last line

    bool usable() const { return finished && init == 0 && devices.value_or(0) > 0; }
    bool operator==(const ProbeReport&) const = default;
};

std::string text_of(const ProbeReport& report);

// Takes what it can of one text or of several behind one another, the later telling more; a line that it cannot read is
// named in `unavailable` as "probe".
ProbeReport probe_report_of(std::string_view text);

// "13.0" of 13000.
std::string cuda_version_text(int version);

}  // namespace tocuda
