// tocuda, Apache-2.0.
#include "runtime/virtual_stream.hpp"

#include <algorithm>
#include <utility>

namespace tocuda::simulator {
namespace {

double start_on(const std::array<Lane*, 2>& lanes, double at, double seconds) {
    for (double start = at;; at = start) {
        for (const Lane* lane : lanes) {
            if (lane) start = lane->free_from(start, seconds);
        }
        if (start == at) return start;
    }
}

}  // namespace

// Of all operations that could begin, the one that could begin first is scheduled first.
void Schedule::settle() {
    while (!unsettled.empty()) {
        Stream* first = nullptr;
        double earliest = end_of_time;
        for (Stream* stream : unsettled) {
            const auto at = stream->ready_at();
            if (!at || *at >= earliest) continue;
            earliest = *at;
            first = stream;
        }
        if (!first) return;
        first->settle_next(earliest);
        if (first->settled()) std::erase(unsettled, first);
    }
}

void Schedule::note_work(int device, double begin, double end) {
    Work& work = work_of[device];
    if (work.begin < 0) work.begin = begin;
    work.end = std::max(work.end, end);
}

Schedule::Work Schedule::work(int device) const {
    const auto found = work_of.find(device);
    return found == work_of.end() ? Work{} : found->second;
}

void Stream::add(Operation operation) {
    operation.earliest = std::max(operation.earliest, timetable.now());
    if (settled()) timetable.add(this);
    queue.push_back(std::move(operation));
    advance(timetable.now());
}

std::optional<double> Stream::ready_at() const {
    if (held || settled()) return std::nullopt;
    const Operation& operation = queue[settled_count];
    double at = std::max(last_end, operation.earliest);
    for (const CompletionPointer& point : operation.after) {
        if (!point->known || (operation.polls_last && !point->done)) return std::nullopt;
        at = std::max(at, point->seconds);
    }
    if (!operation.ready) return at;
    if (operation.polls_last && settled_count > 0) return std::nullopt;
    const double now = timetable.now();
    if (operation.ready()) return std::max(at, now);  // the host has just set the flag
    const bool patient = now < at + operation.patience && timetable.waited_seconds < operation.patience;
    return patient ? std::nullopt : std::optional(at + operation.patience);
}

void Stream::settle_next(double at) {
    Operation& operation = queue[settled_count++];
    const double start = operation.cost > 0 ? start_on(operation.lanes, at, operation.cost) : at;
    for (Lane* lane : operation.lanes) {
        if (lane && operation.cost > 0) lane->take(start, operation.cost, timetable.now());
    }
    last_end = operation.end = start + operation.cost;
    if (operation.host_function) held = true;
    if (operation.is_work) timetable.note_work(kind.device, start, last_end);
    if (!operation.completes) return;
    operation.completes->known = true;
    operation.completes->seconds = last_end;
}

bool Stream::may_finish(Operation& operation, double until) {
    for (const CompletionPointer& point : operation.after) {
        if (!point->done && point->stream && point->stream != this) point->stream->advance(until);
        if (!point->done) return false;
    }
    operation.after.clear();
    if (operation.host_function) {
        due = true;
        return false;
    }
    return !operation.seen_by_host || operation.end <= until;
}

void Stream::finish_first() {
    Operation& operation = queue.front();
    if (operation.effect) operation.effect();
    if (operation.completes) {
        operation.completes->done = true;
        operation.completes->stream = nullptr;
    }
    queue.pop_front();
    --settled_count;
}

bool Stream::advance(double until) {
    if (advancing || due) return false;
    advancing = true;
    for (bool more = true; more && !queue.empty();) {
        timetable.settle();
        for (more = false; settled_count > 0 && may_finish(queue.front(), until); more = true) finish_first();
    }
    advancing = false;
    return queue.empty();
}

CompletionPointer Stream::completion_of(std::size_t position) {
    Operation& operation = queue[position];
    if (!operation.completes) {
        operation.completes = std::make_shared<Completion>(
            Completion{.stream = this, .known = position < settled_count, .seconds = operation.end});
    }
    return operation.completes;
}

CompletionPointer Stream::last() { return queue.empty() ? nullptr : completion_of(queue.size() - 1); }
CompletionPointer Stream::first() { return queue.empty() ? nullptr : completion_of(0); }

std::function<void()>* Stream::host_function_due() { return due ? &queue.front().host_function : nullptr; }

void Stream::host_function_done() {
    due = held = false;
    finish_first();
}

}  // namespace tocuda::simulator
