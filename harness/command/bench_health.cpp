// tocuda, Apache-2.0.
// After a child ended abnormally: probes whether its GPUs still work, and gives up on those that do not.
#include <fmt/core.h>

#include <algorithm>

#include "command/bench_campaign.hpp"
#include "command/bench_child.hpp"
#include "command/complaint.hpp"
#include "command/gpu_health.hpp"
#include "command/patience.hpp"
#include "process/clean_environment.hpp"

namespace tocuda {

// Starts a probe in the child's environment, but with all GPUs visible.
void BenchCampaign::look_at_gpus(const Running& of) {
    if (of.gpus.empty()) return;
    const auto environment = measuring_environment(of.simulation, {}, 0);
    if (!std::holds_alternative<Environment>(environment)) return;
    auto id = std::make_shared<Supervisor::Id>(0);
    *id = supervisor.start(
        {.command = {"/proc/self/exe", "__probe"},
         .environment = child_environment(environment_of_this_process(), {std::get<Environment>(environment)}),
         .seconds = probe_seconds},
        {[this, id](std::string_view line) { probes.at(*id).said.append(line).append("\n"); },
         [this, id](const Ended& end) { ended(*id, end); }});
    probes.emplace(*id, Probing{of.gpus});
}

void BenchCampaign::judge_gpus(const Probing& probing, const Ended& end) {
    const auto report = probe_report_of(probing.said);
    for (const int gpu : probing.gpus) {
        const auto& uuid = settings.gpus.at(static_cast<std::size_t>(gpu)).uuid;
        const auto why = why_sick(report, describe_end(end.outcome), uuid);
        if (why.empty()) continue;
        const auto what = fmt::format("GPU {} ({}) is not used any further: {}", gpu, uuid.value_or("no UUID"), why);
        complain("tocuda bench: " + what);
        for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
            if (const auto& gpus = rounds.all()[unit].gpus; std::find(gpus.begin(), gpus.end(), gpu) != gpus.end())
                give_up_on(unit, what, Status::skipped);
    }
}

}  // namespace tocuda
