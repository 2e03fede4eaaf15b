// tocuda, Apache-2.0.
#include "summary/citable.hpp"

#include <algorithm>
#include <string_view>

#include "summary/validity.hpp"

namespace tocuda {
namespace {

using Reasons = std::vector<std::string>;

void add_origin(Reasons& reasons, const RunLine& run, Device device) {
    if (run.suite.dirty) reasons.emplace_back("dirty: tocuda was built with uncommitted changes");
    if (!run.suite.commit || run.suite.commit->empty())
        reasons.emplace_back("unknown commit: the tocuda that recorded it cannot be identified");
    if (device == Device::real && !run.driver.kernel_module)
        reasons.emplace_back("unknown driver: the file does not record the driver version");
    if (run.schema > 1)
        reasons.emplace_back("newer: written by a newer tocuda; this one does not understand all of it");
}

void add_throttling(Reasons& reasons, const RowSummary& row) {
    for (const auto& left_out : row.left_out)
        if (left_out.status == Status::invalid)
            reasons.push_back("throttled or invalid: process " + std::to_string(left_out.process) +
                              " is excluded: " + left_out.because);
    for (const auto& flag : row.flags)
        if (std::any_of(throttling.begin(), throttling.end(),
                        [&](std::string_view word) { return flag.starts_with(word); }))
            reasons.push_back("throttled: " + flag);
}

void add_clock(Reasons& reasons, const RowSummary& row) {
    if (std::find(row.flags.begin(), row.flags.end(), sm_clock_below_half) != row.flags.end())
        reasons.emplace_back("slow clock: the SM clock was below half of its maximum in at least one process");
}

void add_row(Reasons& reasons, const RowSummary& row) {
    if (row.status != Status::ok && row.status != Status::invalid)
        reasons.push_back(std::string(word(row.status)) + ": " + row.because);
    add_throttling(reasons, row);
    add_clock(reasons, row);
    const auto fewer = std::to_string(row.processes) + (row.processes == 1 ? " process counts" : " processes count");
    if (row.processes < cited_processes_min)
        reasons.push_back("too few: " + fewer + "; a 95 % interval needs " + std::to_string(cited_processes_min));
    else if (!row.median_seconds || !row.interval)
        reasons.emplace_back("no interval: it could not be computed from the samples");
}

}  // namespace

std::vector<std::string> why_not_citable(const RunLine& run, const RowSummary& row,
                                         const std::vector<std::string>& problems) {
    Reasons reasons;
    if (row.device == Device::simulated)
        reasons.emplace_back("simulated: measured on a simulated GPU with a virtual clock");
    add_origin(reasons, run, row.device);
    for (const auto& problem : problems) reasons.push_back("unverified: " + problem);
    add_row(reasons, row);
    return reasons;
}

bool only_the_driver_is_fake(const Evidence& evidence) {
    return !evidence.stand_in.empty() &&
           std::ranges::all_of(evidence.stand_in, [](const std::string& fake) { return fake.starts_with("driver "); });
}

std::vector<std::string> why_not_citable(const RunLine& run, const Row& row, const std::vector<std::string>& problems) {
    Reasons reasons;
    if (row.evidence.device == Device::simulated && !only_the_driver_is_fake(row.evidence))
        reasons.emplace_back("simulated: seen on a simulated GPU");
    add_origin(reasons, run, row.evidence.device);
    for (const auto& problem : problems) reasons.push_back("unverified: " + problem);
    return reasons;
}

}  // namespace tocuda
