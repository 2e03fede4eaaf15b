// tocuda, Apache-2.0.
#include "command/bench_against.hpp"

#include <fmt/core.h>

#include "command/turns.hpp"
#include "execution/recording.hpp"
#include "machine/uuid.hpp"
#include "printing/against_report.hpp"
#include "request/other_build.hpp"

namespace tocuda {
namespace {

RunLine line_of(const RunLine& ours, const OtherBuild& other) {
    auto line = ours;
    line.run = random_uuid();
    line.suite = other.build.suite;
    line.libtorch = {};
    for (const auto& worker : other.catalogue.workers)
        if (const auto version = worker.built_with.find("libtorch"); version != worker.built_with.end())
            line.libtorch.version = version->second;
    return line;
}

OrExit<int> measure(const BenchRequest& request, const PairedSweeps& sweeps, const OtherBuild& other,
                    const Catalogue& catalogue) {
    if (const auto refused = why_not_recorded(request)) return tl::unexpected(*refused);
    const auto place = place_to_measure(request.where, sweeps.ours, false, catalogue, request.quiet);
    if (!place) return tl::unexpected(place.error());
    const auto measured =
        measure_in_turns(request, *place, sweeps, {.other = [&](const RunLine& ours) { return line_of(ours, other); }});
    if (!measured) return tl::unexpected(measured.error());
    return report_against(*measured, against_build(other), request);
}

}  // namespace

OrExit<int> bench_against(const BenchRequest& request, const Catalogue& catalogue) {
    const auto other = other_build(request.against);
    if (!other) return refuse(usage, "--against " + other.error().what);
    if (const auto ours = this_build(); other->build.protocol != ours.protocol)
        return refuse(usage, fmt::format("--against {}: it measures by protocol {}, this build by {}: the rows are not "
                                         "comparable",
                                         request.against, other->build.protocol, ours.protocol));
    const auto ours = sweeps_of(catalogue, request.wanted);
    if (!ours) return refuse(usage, ours.error().what);
    const auto theirs = sweeps_of(other->catalogue, request.wanted);
    if (!theirs) return refuse(nothing_done, fmt::format("--against {}: {}", request.against, theirs.error().what));
    const auto sweeps = paired_sweeps(*ours, *theirs);
    if (sweeps.ours.empty())
        return refuse(nothing_done, "--against " + request.against + ": it has no benchmark in common with this build");
    if (!sweeps.alone.empty() && !request.quiet)
        complain(
            fmt::format("tocuda: {} benchmarks skipped because only one of the builds measures them; the first: {}",
                        sweeps.alone.size(), sweeps.alone.front()));
    return measure(request, sweeps, *other, catalogue);
}

}  // namespace tocuda
