// tocuda, Apache-2.0.
#include "runtime/stream.hpp"

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
    while (!unsettled_.empty()) {
        Stream* first = nullptr;
        double earliest = end_of_time;
        for (Stream* stream : unsettled_) {
            const auto at = stream->ready_at();
            if (!at || *at >= earliest) continue;
            earliest = *at;
            first = stream;
        }
        if (!first) return;
        first->settle_next(earliest);
        if (first->settled()) std::erase(unsettled_, first);
    }
}

void Schedule::note_work(int device, double begin, double end) {
    Work& work = work_[device];
    if (work.begin < 0) work.begin = begin;
    work.end = std::max(work.end, end);
}

Schedule::Work Schedule::work(int device) const {
    const auto found = work_.find(device);
    return found == work_.end() ? Work{} : found->second;
}

void Stream::add(Operation operation) {
    operation.earliest = std::max(operation.earliest, schedule_.now());
    if (settled()) schedule_.add(this);
    queue_.push_back(std::move(operation));
    advance(schedule_.now());
}

std::optional<double> Stream::ready_at() const {
    if (held_ || settled()) return std::nullopt;
    const Operation& operation = queue_[settled_];
    double at = std::max(tail_, operation.earliest);
    for (const CompletionPointer& point : operation.after) {
        if (!point->known || (operation.polls_last && !point->done)) return std::nullopt;
        at = std::max(at, point->seconds);
    }
    if (!operation.ready) return at;
    if (operation.polls_last && settled_ > 0) return std::nullopt;
    const double now = schedule_.now();
    if (operation.ready()) return std::max(at, now);  // the host has just set the flag
    const bool patient = now < at + operation.patience && schedule_.waited_seconds < operation.patience;
    return patient ? std::nullopt : std::optional(at + operation.patience);
}

void Stream::settle_next(double at) {
    Operation& operation = queue_[settled_++];
    const double start = operation.cost > 0 ? start_on(operation.lanes, at, operation.cost) : at;
    for (Lane* lane : operation.lanes) {
        if (lane && operation.cost > 0) lane->take(start, operation.cost, schedule_.now());
    }
    tail_ = operation.end = start + operation.cost;
    if (operation.host_function) held_ = true;
    if (operation.is_work) schedule_.note_work(kind.device, start, tail_);
    if (!operation.completes) return;
    operation.completes->known = true;
    operation.completes->seconds = tail_;
}

bool Stream::may_finish(Operation& operation, double until) {
    for (const CompletionPointer& point : operation.after) {
        if (!point->done && point->stream && point->stream != this) point->stream->advance(until);
        if (!point->done) return false;
    }
    operation.after.clear();
    if (operation.host_function) {
        due_ = true;
        return false;
    }
    return !operation.seen_by_host || operation.end <= until;
}

void Stream::finish_first() {
    Operation& operation = queue_.front();
    if (operation.effect) operation.effect();
    if (operation.completes) {
        operation.completes->done = true;
        operation.completes->stream = nullptr;
    }
    queue_.pop_front();
    --settled_;
}

bool Stream::advance(double until) {
    if (advancing_ || due_) return false;
    advancing_ = true;
    for (bool more = true; more && !queue_.empty();) {
        schedule_.settle();
        for (more = false; settled_ > 0 && may_finish(queue_.front(), until); more = true) finish_first();
    }
    advancing_ = false;
    return queue_.empty();
}

CompletionPointer Stream::completion_of(std::size_t position) {
    Operation& operation = queue_[position];
    if (!operation.completes) {
        operation.completes = std::make_shared<Completion>(
            Completion{.stream = this, .known = position < settled_, .seconds = operation.end});
    }
    return operation.completes;
}

CompletionPointer Stream::last() { return queue_.empty() ? nullptr : completion_of(queue_.size() - 1); }
CompletionPointer Stream::first() { return queue_.empty() ? nullptr : completion_of(0); }

std::function<void()>* Stream::host_function_due() { return due_ ? &queue_.front().host_function : nullptr; }

void Stream::host_function_done() {
    due_ = held_ = false;
    finish_first();
}

}  // namespace tocuda::simulator
