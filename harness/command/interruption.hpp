// tocuda, Apache-2.0.
// Ctrl-C, SIGTERM, SIGHUP and SIGQUIT as something to look at, not something that happens in the middle of a line. A
// reader that is gone (SIGPIPE) ends nothing.
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

    int descriptor() const { return signals; }  // readable when one has come
    // How many have come so far.
    int count();
    const std::string& name() const { return last; }

private:
    int signals;
    int seen = 0;
    std::string last;
    sigset_t before{};
};

}  // namespace tocuda
