// tocuda, Apache-2.0.
#include "process/foreground.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <optional>

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

int follow(pid_t process) {
    sigset_t all;
    ::sigfillset(&all);
    while (true) {
        if (const auto code = code_of(process)) return *code;
        siginfo_t what{};
        const int signal = ::sigwaitinfo(&all, &what);
        const bool for_command = signal > 0 && signal != SIGCHLD && signal != SIGCONT;
        if (for_command && what.si_code != SI_KERNEL) ::kill(process, signal);
    }
}

}  // namespace

Expected<int> run_in_foreground(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
    const Blocked blocked;
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigmask(&attributes, &blocked.before);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t process = -1;
    const int wrong = ::posix_spawnp(&process, command.front().c_str(), nullptr, &attributes,
                                     pointers_to(command).data(), pointers_to(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    if (wrong != 0) return problem("cannot start '" + command.front() + "': " + std::strerror(wrong));
    return follow(process);
}

}  // namespace tocuda
