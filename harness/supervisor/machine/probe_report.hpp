// tocuda, Apache-2.0.
// The probe's report about the driver, and the text that carries it from the child to tocuda: lines of a key and a
// value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/facts.hpp"
#include "machine/health.hpp"
#include "model/machine.hpp"

namespace tocuda {

struct ProbeReport {
    std::optional<std::string> doing{};    // the last step begun, where the probe hung or crashed if it did
    std::optional<std::string> library{};  // the libcuda.so.1 that was loaded
    std::optional<int> init{};             // the result of cuInit
    std::string init_text{};               // name and text of that result, if the driver has them
    std::optional<int> version{};          // 13000
    std::optional<int> devices{};          // visible to CUDA
    std::optional<bool> simulated{};       // the driver is tocuda's simulated one
    std::optional<std::string> nvml_library{};
    std::optional<std::string> nvml_driver{};  // "580.95.05"
    std::optional<int> nvml_devices{};         // on the machine, visible to CUDA or not
    std::optional<bool> confidential{};        // confidential computing is on
    std::optional<std::string> gsp_firmware{};
    std::optional<std::string> pageable_access{};
    std::optional<int> nvml_init{};            // from here to nodes: only if health was asked for; nvmlInit's answer
    std::optional<bool> confidential_ready{};  // and the GPUs accept work
    std::vector<GpuHealth> nvml_gpus{};
    std::vector<NodeAnswer> nodes{};   // tried only if the driver finds no GPU
    std::vector<CudaGpu> cuda_gpus{};  // in CUDA's order
    std::vector<Gpu> gpus{};           // the same GPUs
    std::vector<Gpu> mig_instances{};  // others, if those are MIG instances: CUDA shows a process one of them only
    std::vector<Unavailable> unavailable{};
    bool finished = false;  // the last line was written

    bool usable() const { return finished && init == 0 && devices.value_or(0) > 0; }
    bool operator==(const ProbeReport&) const = default;
};

// Adds what one GPU has to what all have, unless another has the same: "none, hmm".
void add_value(std::optional<std::string>& all, const std::string& one);

std::string text_of(const ProbeReport& report);

// What NVML reported about a GPU of the driver; null if it did not.
const GpuHealth* health_of(const ProbeReport& report, const CudaGpu& gpu);
// The GPUs, by the driver's numbers, in which other programs compute, as far as NVML reports it.
std::vector<int> used_gpus(const ProbeReport& report);

// Parses one report or several concatenated ones, of which later ones contain more. Lines that cannot be parsed are
// reported in `unavailable` as "probe".
ProbeReport probe_report_of(std::string_view text);

// Returns "13.0" for 13000.
std::string cuda_version_text(int version);

// Copies facts and probe report into the run line. Pure.
// Fills driver.cuda, the GPUs, and driver.kernel_module if only NVML reported it; records the causes of missing fields.
// `how_it_ended` is for a probe that did not finish: "ended by signal 11 (SIGSEGV) after 0.3 s".
void add_probe(RunLine& line, const ProbeReport& report, const std::string& how_it_ended);

void add_facts(RunLine& line, const Facts& facts);

}  // namespace tocuda
