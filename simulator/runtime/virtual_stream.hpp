// tocuda, Apache-2.0.
// A stream: a queue of operations with virtual time. An operation begins when the stream, its dependencies and the
// lanes that it needs are free.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/lane.hpp"

namespace tocuda::simulator {

inline constexpr double end_of_time = std::numeric_limits<double>::infinity();

class SharedEvent;
class Stream;
struct Capture;
struct GraphNode;

// A point in a stream that others can wait for: when it is passed in virtual time, and whether everything before it is
// done.
struct Completion {
    Stream* stream = nullptr;  // the stream it is in; null once passed
    bool known = false;        // whether `seconds` is known
    bool done = false;
    double seconds = 0;
};

using CompletionPointer = std::shared_ptr<Completion>;

// The point of a stream where it was last recorded.
struct Event {
    int device = 0;
    bool timed = true;
    CompletionPointer recorded{};  // null if never recorded
    // Where it was last recorded, if in a stream that was being captured: behind these nodes.
    bool captured = false;
    std::weak_ptr<Capture> capture{};
    std::vector<GraphNode*> behind{};
    // If other processes may record it and wait for it, too; and the last recording that this one made or saw.
    std::shared_ptr<SharedEvent> shared{};
    std::uint64_t recording = 0;
};

struct Operation {
    std::function<void()> effect{};         // what it does to memory
    std::function<bool()> ready{};          // the flag that it polls, if any
    bool polls_last = false;                // only when everything before it is done, which may change the flag
    double patience = end_of_time;          // polls for this long, then continues by itself
    std::function<void()> host_function{};  // run by the background thread, outside every lock
    std::vector<CompletionPointer> after{};
    CompletionPointer completes{};
    std::array<Lane*, 2> lanes{};  // what it occupies, if anything
    double earliest = 0;
    double cost = 0;
    bool is_work = false;  // keeps the GPU busy
    // The host can see its effect, so it happens only when it is due or someone waits for it.
    bool seen_by_host = false;
    double end = 0;  // set once it is settled
};

// Decides when the operations of all streams happen in virtual time: in the order in which they could begin, whatever
// stream they are in.
class Schedule {
public:
    explicit Schedule(const double& now) : clock(now) {}
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    double now() const { return clock; }
    void add(Stream* stream) { unsettled.push_back(stream); }  // an operation of it has no time yet
    // Gives a time to every operation that nothing blocks.
    void settle();

    // How long someone has been waiting in real time: the patience of a kernel that polls a flag runs out by that, too.
    double waited_seconds = 0;

    // From the first to the last operation that kept a GPU busy. Negative if there was none.
    struct Work {
        double begin = -1;
        double end = -1;
    };
    void note_work(int device, double begin, double end);
    Work work(int device) const;

private:
    const double& clock;
    std::vector<Stream*> unsettled;
    std::map<int, Work> work_of;
};

class Stream {
public:
    struct Kind {
        int device = 0;
        bool joins_legacy = true;  // waits for the default stream, and vice versa
        int priority = 0;
        unsigned flags = 0;
        unsigned long long id = 0;
    };

    Stream(Kind of_kind, Schedule& schedule) : kind(of_kind), timetable(schedule) {}

    const Kind kind;

    // While it is being captured: what it belongs to, and the nodes that the next one depends on.
    std::shared_ptr<Capture> capture;
    std::vector<GraphNode*> behind;

    void add(Operation operation);
    // Completes what ends by `until`; true if nothing is left.
    bool advance(double until);
    bool idle() const { return queue.empty(); }
    double tail() const { return last_end; }
    // Passed when everything now in the stream is done, or its first operation; null if the stream is empty.
    CompletionPointer last();
    CompletionPointer first();
    std::size_t waiting() const { return queue.size(); }

    // The following are for the schedule. An operation is settled once its time is known; settled ones come first in
    // the queue.

    // When the next unsettled operation could begin; nullopt while something blocks it.
    std::optional<double> ready_at() const;
    void settle_next(double at);
    bool settled() const { return settled_count == queue.size(); }

    // The host function that the background thread must run now, because it is first in the queue; otherwise null.
    std::function<void()>* host_function_due();
    void host_function_done();

private:
    CompletionPointer completion_of(std::size_t position);
    bool may_finish(Operation& operation, double until);
    void finish_first();

    Schedule& timetable;
    std::deque<Operation> queue;
    std::size_t settled_count = 0;
    double last_end = 0;  // when the last settled operation ends
    bool held = false;    // behind a host function that has not run yet
    bool due = false;     // the first operation is a host function that may run
    bool advancing = false;
};

}  // namespace tocuda::simulator
