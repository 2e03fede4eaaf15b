// tocuda, Apache-2.0.
// Starts each child under a guardian and watches all from one thread. No child, and nothing that a child started,
// outlives the supervisor, whether it is destroyed or killed. While one exists, this process must start children only
// through it: any other child is taken for one left behind by a killed guardian, and is killed.
#pragma once

#include <memory>
#include <string>

#include "process/child.hpp"

namespace tocuda {

class Supervisor {
public:
    using Id = int;

    // `guardian` is the program that runs as `guardian __guardian ...`; by default this one.
    explicit Supervisor(std::string guardian = "/proc/self/exe");
    ~Supervisor();  // ends all children without reactions and waits for the last descendant
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    // A program that is missing or cannot be executed also ends: with outcome "not_started" and the reason in
    // `stopped`.
    Id start(const Child& child, Reactions reactions);
    void send(Id child, std::string text);  // to the standard input of a child with keep_input; never blocks
    void close_input(Id child);
    void stop(Id child, const std::string& why);  // ends it now; on_end follows, with `why` in outcome.stopped
    void stop_all(const std::string& why);

    int running() const;
    // Waits at most `seconds` for events and calls reactions, which may start, send and stop, but not step.
    // `wake` (a descriptor, -1 for none) also ends the wait.
    void step(double seconds, int wake = -1);

private:
    struct Inside;
    std::unique_ptr<Inside> inside;
};

// The main function of `tocuda __guardian ...`. Returns its exit code.
int guardian_main(int count, char** arguments);

}  // namespace tocuda
