// tocuda, Apache-2.0.
#include "execution/judge_desk.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "json_lines/lines.hpp"
#include "process/clean_environment.hpp"

namespace tocuda {
namespace {

constexpr double usual_seconds = 30;
constexpr double day_seconds = 86400;
constexpr std::int64_t resident_bytes = std::int64_t{8} << 30;

}  // namespace

JudgeDesk::JudgeDesk(Supervisor& supervisor, double seconds, Judged judged)
    : children(supervisor), answer_seconds(seconds > 0 ? seconds : usual_seconds), on_judged(std::move(judged)) {}

void JudgeDesk::expect_rows(const Worker& worker) {
    auto& desk = desks[worker.name];
    desk.worker = &worker;
    if (!desk.running) start(desk);
}

void JudgeDesk::submit(const Worker& worker, const Scenario& scenario, const Variant& variant, Row row) {
    if (!row.evidence.outcome.normal() && !scenario.judges_ends) {
        const auto because = describe_end(row.evidence);
        for (const auto& [claim, expected] : variant.expected)
            row.claims.push_back({claim, Verdict::broken, expected, because});
        return on_judged(std::move(row));
    }
    if (variant.expected.empty()) return on_judged(std::move(row));  // no claims to judge
    auto& desk = desks[worker.name];
    desk.worker = &worker;
    const auto line = to_line(row);
    desk.pending.push_back({std::move(row), variant.expected, {}, clock});
    if (desk.running) children.send(desk.child, line + "\n");
    else start(desk);
}

// Starts a judge and sends it all pending rows.
void JudgeDesk::start(Desk& desk) {
    desk.fault.clear();
    desk.running = true;
    desk.child =
        children.start({.command = {desk.worker->program.string(), "judge"},
                        .environment = child_environment(environment_of_this_process(), {desk.worker->environment}),
                        .seconds = day_seconds,
                        .resident_bytes = resident_bytes,
                        .keep_input = true},
                       {[this, &desk](std::string_view line) { hear(desk, line); },
                        [this, &desk](const Ended& ended) {
                            desk.running = false;
                            if (desk.pending.empty()) return;
                            fail_front(desk, "the judge of " + desk.worker->name + " " +
                                                 (desk.fault.empty() ? describe_end(ended.outcome) : desk.fault));
                            if (!desk.pending.empty()) start(desk);
                        }});
    for (auto& pending : desk.pending) {
        pending.since = clock;
        pending.rulings.clear();
        children.send(desk.child, to_line(pending.row) + "\n");
    }
    if (desk.closing) children.close_input(desk.child);
}

void JudgeDesk::hear(Desk& desk, std::string_view text) {
    if (!desk.fault.empty()) return;
    const auto line = ruling_line(text);
    desk.fault = line ? why_not(desk, *line) : "sent an invalid line: " + line.error().what;
    if (!desk.fault.empty()) return children.stop(desk.child, desk.fault);
    auto& front = desk.pending.front();
    front.rulings.push_back(line->ruling);
    if (front.rulings.size() == front.expected.size()) finish_front(desk);
}

std::string JudgeDesk::why_not(const Desk& desk, const RulingLine& said) {
    if (desk.pending.empty()) return "sent a ruling although no row was pending";
    const auto& front = desk.pending.front();
    const auto& claim = said.ruling.claim;
    if (said.name != front.row.name || said.variant != front.row.variant || !front.expected.contains(claim))
        return "ruled on '" + claim + "' of " + said.name + ", which was not requested";
    const bool again = std::ranges::any_of(front.rulings, [&](const Ruling& ruling) { return ruling.claim == claim; });
    return again ? "ruled twice on '" + claim + "' of " + said.name : "";
}

void JudgeDesk::finish_front(Desk& desk) {
    auto done = std::move(desk.pending.front());
    desk.pending.pop_front();
    if (!desk.pending.empty()) desk.pending.front().since = clock;
    for (const auto& ruling : done.rulings)
        done.row.claims.push_back({ruling.claim, ruling.verdict, done.expected.at(ruling.claim), ruling.because});
    on_judged(std::move(done.row));
}

void JudgeDesk::fail_front(Desk& desk, const std::string& why) {
    auto failed = std::move(desk.pending.front());
    desk.pending.pop_front();
    for (const auto& [claim, expected] : failed.expected)
        failed.row.claims.push_back({claim, Verdict::broken, expected, why});
    on_judged(std::move(failed.row));
}

bool JudgeDesk::idle() const {
    return std::ranges::all_of(desks, [](const auto& desk) { return desk.second.pending.empty(); });
}

void JudgeDesk::close() {
    for (auto& [name, desk] : desks) {
        desk.closing = clock;
        if (desk.running) children.close_input(desk.child);
    }
}

void JudgeDesk::abandon() {
    for (auto& [name, desk] : desks) desk.pending.clear();
}

void JudgeDesk::look_at_the_clock(double now) {
    clock = now;
    for (auto& [name, desk] : desks) {
        if (!desk.running || !desk.fault.empty()) continue;
        const auto since = desk.pending.empty() ? desk.closing : desk.pending.front().since;
        if (!since || now - *since < answer_seconds) continue;
        desk.fault = fmt::format("did not {} within {:g} s", desk.pending.empty() ? "exit" : "answer", answer_seconds);
        children.stop(desk.child, desk.fault);
    }
}

}  // namespace tocuda
