// tocuda, Apache-2.0.
// Starts children under a guardian each and watches them from one thread. No child, and nothing that a child started, outlives the
// supervisor: not when it is destroyed, and not when it is killed. While one exists, this process starts no children but through it: what
// else turns up as its child is taken for what a killed guardian left, and ended.
#pragma once

#include <memory>
#include <string>

#include "process/child.hpp"

namespace tocuda {

class Supervisor {
public:
    using Id = int;

    // `guardian` is the program that is re-executed as `guardian __guardian ...`; by default this one.
    explicit Supervisor(std::string guardian = "/proc/self/exe");
    ~Supervisor();  // ends all children, without reactions, and waits until the last descendant is gone
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    // A program that is missing or cannot be executed is an end like another (outcome "not_started", with the reason in `stopped`).
    Id start(const Child& child, Reactions reactions);
    void send(Id child, std::string text);  // to the standard input of a child with keep_input; never blocks
    void close_input(Id child);
    void stop(Id child, const std::string& why);  // ends it now; on_end follows, with `why` in outcome.stopped
    void stop_all(const std::string& why);

    int running() const;
    // Waits for something to happen, at most `seconds`; calls reactions, which may start, send and stop, but not step.
    // `wake` (a descriptor, -1 for none) also ends the wait.
    void step(double seconds, int wake = -1);

private:
    struct Inside;
    std::unique_ptr<Inside> inside;
};

// The other side: what `tocuda __guardian ...` does. Returns its exit code.
int guardian_main(int count, char** arguments);

}  // namespace tocuda
