// tocuda, Apache-2.0.
// Collects Ctrl-C, SIGTERM, SIGHUP and SIGQUIT for the event loop to look at, instead of letting them interrupt it.
// SIGPIPE (nobody reads the output any more) is ignored.
#pragma once

#include <csignal>
#include <string>

namespace tocuda {

class Interruption {
public:
    Interruption();  // from here on the signals are only collected
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    int descriptor() const { return signals; }  // readable when a signal has arrived
    // Returns how many have arrived so far.
    int count();
    const std::string& name() const { return last; }

private:
    int signals;
    int seen = 0;
    std::string last;
    sigset_t before{};
};

}  // namespace tocuda
