// tocuda, Apache-2.0.
#include "process/foreground.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "process/process_tree.hpp"

namespace tocuda {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

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

// Returns the code once the command has ended.
std::optional<int> code_of(pid_t process) {
    int status = 0;
    pid_t found = 0;
    while ((found = ::waitpid(process, &status, WNOHANG | WUNTRACED)) == process) {
        if (WIFEXITED(status)) return WEXITSTATUS(status);
        if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
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

int follow(pid_t process, std::optional<std::chrono::seconds> limit) {
    using std::chrono::steady_clock;
    constexpr timespec a_second{1, 0};
    constexpr std::chrono::seconds grace{3};  // of a command with a limit that ignores the signal
    auto end = steady_clock::now() + limit.value_or(std::chrono::seconds{0});
    int code_at_end = code_after_limit;
    sigset_t all;
    ::sigfillset(&all);
    while (true) {
        if (const auto code = code_of(process)) return *code;
        if (limit && steady_clock::now() > end) {
            kill_all_of(process);
            return code_at_end;
        }
        siginfo_t what{};
        const int signal = limit ? ::sigtimedwait(&all, &what, &a_second) : ::sigwaitinfo(&all, &what);
        if (signal <= 0 || signal == SIGCHLD || signal == SIGCONT) continue;
        if (what.si_code != SI_KERNEL) ::kill(process, signal);
        if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP && signal != SIGQUIT) continue;
        end = std::min(end, steady_clock::now() + grace);
        code_at_end = 128 + signal;
    }
}

}  // namespace

Expected<int> run_in_foreground(const std::vector<std::string>& command, const std::vector<std::string>& environment,
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
    if (wrong != 0) return problem("cannot start '" + command.front() + "': " + std::strerror(wrong));
    return follow(process, limit);
}

}  // namespace tocuda
