// tocuda, Apache-2.0.
// Implemented with signalfd.
#include "engine/interruption.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace tocuda {

Interruption::Interruption() {
    sigset_t caught;
    sigemptyset(&caught);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) sigaddset(&caught, signal);
    sigprocmask(SIG_BLOCK, &caught, &before);
    signals = ::signalfd(-1, &caught, SFD_NONBLOCK | SFD_CLOEXEC);
}

Interruption::~Interruption() {
    count();  // reads those that have arrived, or unblocking would deliver them
    if (signals >= 0) ::close(signals);
    sigprocmask(SIG_SETMASK, &before, nullptr);
}

int Interruption::count() {
    signalfd_siginfo info{};
    while (::read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo == SIGPIPE) continue;  // nobody reads the output, but the file is still written
        ++seen;
        last = info.ssi_signo == SIGINT    ? "Ctrl-C"
               : info.ssi_signo == SIGTERM ? "SIGTERM"
               : info.ssi_signo == SIGQUIT ? "SIGQUIT"
                                           : "SIGHUP";
    }
    return seen;
}

}  // namespace tocuda
