// tocuda, Apache-2.0.
#include "process/foreground.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "process/process_tree.hpp"
#include "process/spawning.hpp"

namespace tocuda {
namespace {

// Blocks all signals, so that they wait for the loop that passes them on.
class Blocked {
public:
    Blocked() {
        ::signal(SIGCHLD, SIG_DFL);  // an ignored one would lose the exit code
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_SETMASK, &all, &before);
    }
    ~Blocked() { ::sigprocmask(SIG_SETMASK, &before, nullptr); }
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;

    sigset_t before{};
};

// Returns how the command ended, once it has.
std::optional<ForegroundEnd> end_of(pid_t process) {
    int status = 0;
    pid_t found = 0;
    while ((found = ::waitpid(process, &status, WNOHANG | WUNTRACED)) == process) {
        if (WIFEXITED(status)) return ForegroundEnd{.code = WEXITSTATUS(status)};
        if (WIFSIGNALED(status)) return ForegroundEnd{.code = 128 + WTERMSIG(status), .signal = WTERMSIG(status)};
        if (WIFSTOPPED(status)) ::raise(SIGSTOP);
    }
    return std::nullopt;
}

// What the command started is killed too: nobody would wait for it.
void kill_all_of(pid_t process) {
    const auto started = descendants_of(process);
    ::kill(process, SIGKILL);
    for (const auto each : started) ::kill(each, SIGKILL);
    ::waitpid(process, nullptr, 0);
}

constexpr std::array stop_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// One that came while the command was ending.
int pending_stop_signal() {
    sigset_t pending;
    if (::sigpending(&pending) != 0) return 0;
    const auto* const found =
        std::ranges::find_if(stop_signals, [&](int each) { return ::sigismember(&pending, each); });
    return found == stop_signals.end() ? 0 : *found;
}

// As the terminal would: to all of the command's group.
void pass_on(int signal, pid_t process, bool stops) {
    const auto started = stops ? descendants_of(process) : std::vector<pid_t>{};
    ::kill(process, signal);
    for (const auto each : started)
        if (::getpgid(each) == ::getpgrp()) ::kill(each, signal);
}

ForegroundEnd follow(pid_t process, std::optional<std::chrono::seconds> limit) {
    using std::chrono::steady_clock;
    constexpr timespec a_second{1, 0};
    constexpr std::chrono::seconds grace{3};  // of a command with a limit that ignores the signal
    auto end = steady_clock::now() + limit.value_or(std::chrono::seconds{0});
    int stopped_by = 0;
    sigset_t all;
    ::sigfillset(&all);
    while (true) {
        if (auto ended = end_of(process)) {
            ended->stopped_by = stopped_by ? stopped_by : pending_stop_signal();
            return *ended;
        }
        if (limit && steady_clock::now() > end) {
            kill_all_of(process);
            return {.code = stopped_by ? 128 + stopped_by : code_after_limit, .stopped_by = stopped_by};
        }
        siginfo_t what{};
        const int signal = limit ? ::sigtimedwait(&all, &what, &a_second) : ::sigwaitinfo(&all, &what);
        if (signal <= 0 || signal == SIGCHLD || signal == SIGCONT) continue;
        const bool stops = std::ranges::find(stop_signals, signal) != stop_signals.end();
        if (what.si_code != SI_KERNEL) pass_on(signal, process, stops);
        if (!stops) continue;
        end = std::min(end, steady_clock::now() + grace);
        stopped_by = signal;
    }
}

}  // namespace

Expected<ForegroundEnd> run_in_foreground(const std::vector<std::string>& command,
                                          const std::vector<std::string>& environment,
                                          std::optional<std::chrono::seconds> limit) {
    const Blocked blocked;
    const auto words = pointers_to(command), variables = pointers_to(environment);
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0)
        return problem("cannot start '" + command.front() + "': " + std::strerror(errno));
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) {
        // A process that was killed with SIGKILL passes nothing on.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::sigprocmask(SIG_SETMASK, &blocked.before, nullptr);
        if (::getppid() == parent) ::execvpe(words.front(), words.data(), variables.data());
        const int why = errno;
        ::_exit(::write(failure[1], &why, sizeof why) == sizeof why ? 127 : 126);
    }
    int wrong = process < 0 ? errno : 0;
    ::close(failure[1]);
    if (process > 0 && ::read(failure[0], &wrong, sizeof wrong) == sizeof wrong) ::waitpid(process, nullptr, 0);
    ::close(failure[0]);
    if (wrong == ENOENT && command.front() == "python")
        return problem("cannot start 'python': No such file or directory; is it python3 here?");
    if (wrong != 0) return problem("cannot start '" + command.front() + "': " + std::strerror(wrong));
    return follow(process, limit);
}

}  // namespace tocuda
