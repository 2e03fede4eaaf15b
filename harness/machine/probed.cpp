// tocuda, Apache-2.0.
#include "machine/probed.hpp"

#include <algorithm>
#include <iterator>

namespace tocuda {
namespace {

// The run line has no field for NVML itself.
bool is_field_of_run_line(const Unavailable& missing) { return !missing.field.starts_with("nvml"); }

bool is_missing(const RunLine& line, const std::string& field) {
    return std::ranges::find(line.unavailable, field, &Unavailable::field) != line.unavailable.end();
}

}  // namespace

void add_facts(RunLine& line, const Facts& facts) {
    line.machine = facts.machine;
    line.driver = facts.driver;
    line.boot = facts.boot;
    line.driver_loaded = facts.driver_loaded;
    line.unavailable.insert(line.unavailable.end(), facts.unavailable.begin(), facts.unavailable.end());
}

void add_probe(RunLine& line, const ProbeReport& report, const std::string& how_it_ended) {
    line.gpus = report.gpus;
    if (report.version && *report.version > 0) line.driver.cuda = cuda_version_text(*report.version);
    if (!line.driver.kernel_module && report.nvml_driver) {
        line.driver.kernel_module = report.nvml_driver;
        std::erase_if(line.unavailable,
                      [](const Unavailable& missing) { return missing.field == "driver.kernel_module"; });
    }
    std::ranges::copy_if(report.unavailable, std::back_inserter(line.unavailable), is_field_of_run_line);
    if (!report.finished) {
        const auto cause = "the probe of the driver " + how_it_ended + " while " + report.doing.value_or("starting");
        if (!line.driver.cuda && !is_missing(line, "driver.cuda")) line.unavailable.push_back({"driver.cuda", cause});
        line.unavailable.push_back({"gpus", cause});
    }
    if (!line.driver.cuda && !is_missing(line, "driver.cuda"))
        line.unavailable.push_back({"driver.cuda", "the driver reports no version"});
}

}  // namespace tocuda
