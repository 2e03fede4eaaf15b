// tocuda, Apache-2.0.
// A stream: a queue of operations with virtual time. An operation begins when the stream and all it depends on are there.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <vector>

#include "runtime/completion.hpp"

namespace tocuda::stand_in {

inline constexpr double end_of_time = std::numeric_limits<double>::infinity();

struct Operation {
    std::function<void()> effect;         // what it does to memory
    std::function<bool()> ready;          // a flag that it polls; empty: none
    std::function<void()> host_function;  // run by the background thread, outside every lock
    std::vector<CompletionPointer> after;
    CompletionPointer completes;
    double earliest = 0;
    double cost = 0;
    // The host can see its effect, so it happens only when its time has come or someone waits for it.
    bool seen_by_host = false;
    double end = -1;  // known once it stands first and nothing holds it back
};

class Stream {
public:
    struct Kind {
        int device = 0;
        bool joins_legacy = true;  // waits for the default stream, and it for this one
        int priority = 0;
        unsigned flags = 0;
        unsigned long long id = 0;
    };

    // `now` is the host's virtual clock.
    Stream(Kind of_kind, const double& now) : kind(of_kind), now_(now) {}

    const Kind kind;

    void add(Operation operation);
    // Does what ends by `until`; true where nothing is left.
    bool advance(double until);
    bool idle() const { return queue_.empty(); }
    double tail() const { return tail_; }
    // Passed when everything now in the stream is; null where nothing is left.
    CompletionPointer last();
    std::size_t waiting() const { return queue_.size(); }

    // The operation whose host function the background thread must run, once it stands first; null otherwise.
    std::function<void()>* host_function_due();
    void host_function_done();

private:
    bool dependencies_passed(Operation& operation, double until);
    bool may_finish(Operation& operation, double until);
    void finish(Operation& operation);

    const double& now_;
    std::deque<Operation> queue_;
    double tail_ = 0;
    bool due_ = false;      // the first operation is a host function that can begin
    bool advancing_ = false;
};

}  // namespace tocuda::stand_in
