// tocuda, Apache-2.0.
// Hosts that only one side of a fleet has, and GPUs that changed their host: neither can say what a driver changed.
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "comparison_input/gathering.hpp"
#include "comparison_input/gpu_pairs.hpp"
#include "model/change_report.hpp"

namespace tocuda {

void add_host_changes(const RowNames& names, std::span<const GatheredSection> before,
                      std::span<const GatheredSection> after, const GpuPairs& pairs, ChangeReport& report);

// Lists the hosts that stand apart from the others in any row.
void add_apart_hosts(ChangeReport& report);

// Starts of the driver that a host had on the old side are no new ones if it has another now. Returns these hosts.
std::vector<std::string> drop_old_driver(std::span<const GatheredSection> before, std::vector<GatheredSection>& after);

}  // namespace tocuda
