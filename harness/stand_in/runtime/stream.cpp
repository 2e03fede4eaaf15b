// tocuda, Apache-2.0.
// How the operations of a stream are done, one after the other.
#include "runtime/stream.hpp"

#include <algorithm>
#include <utility>

namespace tocuda::stand_in {

void Stream::add(Operation operation) {
    operation.earliest = std::max(operation.earliest, now_);
    queue_.push_back(std::move(operation));
    advance(now_);
}

bool Stream::dependencies_passed(Operation& operation, double until) {
    for (const CompletionPointer& point : operation.after) {
        if (!point->done && point->stream != nullptr && point->stream != this) point->stream->advance(until);
        if (!point->done) return false;
        operation.earliest = std::max(operation.earliest, point->seconds);
    }
    operation.after.clear();
    return true;
}

bool Stream::may_finish(Operation& operation, double until) {
    if (operation.end < 0) {
        if (!dependencies_passed(operation, until)) return false;
        if (operation.ready) {
            if (!operation.ready()) return false;
            operation.earliest = std::max(operation.earliest, now_);  // the host has just raised the flag
        }
        operation.end = std::max(tail_, operation.earliest) + operation.cost;
    }
    if (operation.host_function) {
        due_ = true;
        return false;
    }
    return !operation.seen_by_host || operation.end <= until;
}

void Stream::finish(Operation& operation) {
    if (operation.effect) operation.effect();
    tail_ = operation.end;
    if (operation.completes) {
        operation.completes->done = true;
        operation.completes->seconds = tail_;
        operation.completes->stream = nullptr;
    }
}

bool Stream::advance(double until) {
    if (advancing_ || due_) return false;
    advancing_ = true;
    while (!queue_.empty() && may_finish(queue_.front(), until)) {
        finish(queue_.front());
        queue_.pop_front();
    }
    advancing_ = false;
    return queue_.empty();
}

CompletionPointer Stream::last() {
    if (queue_.empty()) return nullptr;
    auto& point = queue_.back().completes;
    if (!point) point = std::make_shared<Completion>(Completion{.stream = this});
    return point;
}

std::function<void()>* Stream::host_function_due() { return due_ ? &queue_.front().host_function : nullptr; }

void Stream::host_function_done() {
    due_ = false;
    finish(queue_.front());
    queue_.pop_front();
}

}  // namespace tocuda::stand_in
