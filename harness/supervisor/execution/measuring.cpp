// tocuda, Apache-2.0.
#include "execution/measuring.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "json_lines/visible.hpp"
#include "json_lines/worker_lines.hpp"
#include "model/evidence.hpp"
#include "model/parameter_values.hpp"

namespace tocuda {
namespace {

Status status_of(const Ended& ended) {
    const auto& outcome = ended.outcome;
    if (outcome.ended == "timeout") return Status::timeout;
    return outcome.ended == "signal" && outcome.stopped.empty() ? Status::crashed : Status::failed;
}

std::string how_it_ended(const Ended& ended) {
    Evidence evidence;
    evidence.outcome = ended.outcome;
    evidence.stderr_tail = visible_lines(ended.stderr_tail);
    return describe_end(evidence);
}

}  // namespace

Measuring::Measuring(Clock of_benchmark, std::vector<Parameters> sets, std::vector<std::string> gpus)
    : clock(of_benchmark), asked(sets), open(std::move(sets)), allowed(std::move(gpus)) {}

std::optional<Samples> Measuring::hear(std::string_view line) {
    ++lines;
    const auto refuse = [&](const std::string& why) {
        wrong = fmt::format("descriptor 3, line {}: {}", lines, why);
        return std::nullopt;
    };
    if (!wrong.empty()) return std::nullopt;
    const auto read = samples_line(line);
    if (!read) return refuse(read.error().what);
    const auto found = std::find(open.begin(), open.end(), read->parameters);
    if (found == open.end())
        return refuse(fmt::format("not requested: {}",
                                  read->parameters.empty() ? "a set without parameters" : plain(read->parameters)));
    if (read->clock != clock) return refuse("measured by another clock than the benchmark declares");
    const bool elsewhere =
        !read->gpu.empty() && !allowed.empty() && std::find(allowed.begin(), allowed.end(), read->gpu) == allowed.end();
    if (elsewhere) return refuse(fmt::format("measured on {}, not on {}", read->gpu, allowed.front()));
    open.erase(found);
    last_failed = read->status == Status::failed;
    return *read;
}

// Describes what went wrong from the child's lines and how it ended; empty if nothing did.
std::string Measuring::why_not_measured(const Ended& ended) const {
    std::string why = wrong;
    if (why.empty() && !ended.torn.empty()) why = "half a line on descriptor 3: " + ended.torn;
    if (ended.outcome.normal()) return why.empty() && !open.empty() ? "it ended before measuring this set" : why;
    if (!wrong.empty() && ended.outcome.stopped == wrong) return wrong;
    return (why.empty() ? "" : why + "; ") + how_it_ended(ended);
}

Measuring::Finish Measuring::finish(const Ended& ended) const {
    Finish finish{.left_over = open, .abnormal = !ended.outcome.normal()};
    const auto& outcome = ended.outcome;
    const bool sticky = outcome.ended == "exit" && outcome.code == sticky_error_code && outcome.stopped.empty();
    if (sticky && last_failed && ended.torn.empty()) return finish;  // it has reported the error itself
    const auto why = why_not_measured(ended);
    if (why.empty()) return finish;
    if (open.empty()) {
        finish.at_hand = not_measured(asked.back(), status_of(ended), "after the last set was measured: " + why);
        return finish;
    }
    finish.at_hand = not_measured(open.front(), status_of(ended), why);
    finish.left_over.erase(finish.left_over.begin());
    return finish;
}

Samples Measuring::not_measured(const Parameters& set, Status status, std::string why) const {
    return {.parameters = set, .status = status, .check = std::move(why), .clock = clock, .batch = 0};
}

}  // namespace tocuda
