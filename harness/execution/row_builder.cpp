// tocuda, Apache-2.0.
#include "execution/row_builder.hpp"

#include "lines/visible.hpp"
#include "lines/worker_lines.hpp"

namespace tocuda {
namespace {

constexpr std::size_t most_observations = 20000;

Row empty_row(const Step& step) {
    Row row{.name = step.what.scenario->name, .variant = step.variant->name};
    row.evidence.device = step.device;
    row.evidence.stand_in = step.variant->fakes;
    if (!step.simulation.empty()) row.evidence.stand_in.push_back("runtime " + step.simulation);
    for (const auto& fault : step.variant->faults) row.evidence.stand_in.push_back("fault " + fault);
    return row;
}

}  // namespace

RowBuilder::RowBuilder(const Step& step) : row(empty_row(step)), known_differences(step.what.scenario->differs) {
    const auto& built_with = step.what.worker->built_with;
    if (const auto version = built_with.find("libtorch"); version != built_with.end()) libtorch = version->second;
}

void RowBuilder::hear(std::string_view text) {
    ++lines;
    if (!wrong.empty()) return;
    const auto line = observe_line(text);
    if (!line) {
        wrong = "descriptor 3, line " + std::to_string(lines) + ": " + line.error().what;
    } else if (const auto* seen = std::get_if<Observation>(&*line)) {
        if (done) wrong = "descriptor 3, line " + std::to_string(lines) + ": an observation after the end";
        else row.evidence.observations.push_back(*seen);
    } else if (const auto* end = std::get_if<DoneLine>(&*line)) {
        done = true;
        // Without it, the child did not observe what the variant is about.
        if (row.evidence.device == Device::simulated && end->device != Device::simulated)
            wrong = "the simulator or fake driver was not loaded in the child";
        row.evidence.device = end->device;
    }
    if (row.evidence.observations.size() > most_observations) wrong = "more than 20000 observations";
}

Row RowBuilder::finish(const Ended& ended) {
    row.evidence.outcome = ended.outcome;
    row.evidence.stderr_tail = visible_lines(ended.stderr_tail);
    auto& stopped = row.evidence.outcome.stopped;
    if (stopped.empty()) stopped = wrong;
    if (stopped.empty() && !ended.torn.empty()) stopped = "half a line on descriptor 3";
    if (stopped.empty() && row.evidence.outcome.normal() && !done)
        stopped =
            lines == 0 ? "it ended without writing to descriptor 3" : "it ended before reporting that it was done";
    row.differs = seen_differences(known_differences, row.variant, libtorch, row.evidence);
    if (ended.outlived > 0) row.evidence.observations.push_back({"harness.outlived", ended.outlived});
    return std::move(row);
}

Row skipped_row(const Step& step) {
    auto row = empty_row(step);
    row.evidence.device = Device::none;
    for (const auto& [claim, expected] : step.variant->expected)
        row.claims.push_back({claim, Verdict::skipped, expected, step.skipped});
    return row;
}

Row broken_row(const Step& step, const std::string& why) {
    auto row = empty_row(step);
    row.evidence.device = Device::none;
    row.evidence.outcome.stopped = why;
    for (const auto& [claim, expected] : step.variant->expected)
        row.claims.push_back({claim, Verdict::broken, expected, why});
    return row;
}

}  // namespace tocuda
