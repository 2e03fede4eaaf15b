// tocuda, Apache-2.0.
#include "process/foreground.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

int follow(pid_t process, std::optional<std::chrono::seconds> limit) {
    using std::chrono::steady_clock;
    constexpr timespec a_second{1, 0};
    const auto began = steady_clock::now();
    sigset_t all;
    ::sigfillset(&all);
    while (true) {
        if (const auto code = code_of(process)) return *code;
        if (limit && steady_clock::now() - began > *limit) {
            ::kill(process, SIGKILL);
            ::waitpid(process, nullptr, 0);
            return code_after_limit;
        }
        siginfo_t what{};
        const int signal = limit ? ::sigtimedwait(&all, &what, &a_second) : ::sigwaitinfo(&all, &what);
        const bool for_command = signal > 0 && signal != SIGCHLD && signal != SIGCONT;
        if (for_command && what.si_code != SI_KERNEL) ::kill(process, signal);
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
