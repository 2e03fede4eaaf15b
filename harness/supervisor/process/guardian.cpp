// tocuda, Apache-2.0.
// The guardian: starts one child, watches it, and leaves no descendant behind, whatever ends first: the child, its
// deadline, its memory limit, the guardian (by a signal), or tocuda.
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>

#include "process/child.hpp"
#include "process/order.hpp"
#include "process/process_tree.hpp"
#include "process/spawning.hpp"
#include "process/supervisor.hpp"
#include "process/watched_child.hpp"

namespace tocuda {
namespace {

constexpr double grace_seconds = 1;  // between SIGTERM and SIGKILL at the deadline
constexpr double measure_every_seconds = 0.05;
constexpr double give_up_seconds = 5;  // a process that hangs in a driver call cannot be killed, so stop waiting

class Guardian {
public:
    explicit Guardian(Order given) : order(std::move(given)) {}

    Report guard() {
        prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts orphaned descendants of any session
        block_signals();
        started = now();
        next_measure = started + measure_every_seconds;
        if (!start()) return report;
        while (!child_ended && !must_end()) wait();
        const bool ended_by_itself = child_ended;
        end_all();
        report.outlived = ended_by_itself ? static_cast<int>(killed.size()) : 0;
        conclude();
        return report;
    }

private:
    void block_signals() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
        sigset_t heard;
        sigemptyset(&heard);
        for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&heard, number);
        signals = Descriptor(signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
    }

    bool start() {
        Spawning spawning;
        spawning.hand_on(GuardianDescriptors::child_input, 0);
        spawning.hand_on(GuardianDescriptors::child_stderr, 1);
        spawning.hand_on(GuardianDescriptors::child_stderr, 2);
        spawning.hand_on(GuardianDescriptors::child_says, 3);
        const auto program = program_path(order.command.front(), order.environment);
        const auto [process, problem] = spawning.start(program, order.command, order.environment);
        // Our copies would keep the child's pipes open after its end.
        close(GuardianDescriptors::child_input);
        close(GuardianDescriptors::child_says);
        child = process;
        report.ended = "not_started";
        if (problem != 0) report.stopped = order.command.front() + ": " + std::strerror(problem);
        return problem == 0;
    }

    bool must_end() {
        measure();
        if (over_limit) report.stopped = "resident memory over " + amount_of_bytes(order.resident_bytes);
        else if (ended_by != 0) report.stopped = "the guardian received signal " + std::to_string(ended_by);
        if (told || over_limit || ended_by != 0) return true;
        if (asked_at == 0 && now() >= started + order.seconds) {
            asked_at = now();
            for (const auto process : descendants_of(getpid())) kill(process, SIGTERM);
        }
        return asked_at != 0 && now() >= asked_at + grace_seconds;
    }

    void measure() {
        if (order.resident_bytes <= 0 || now() < next_measure) return;
        next_measure = now() + measure_every_seconds;
        std::int64_t together = 0;
        for (const auto process : descendants_of(getpid())) together += resident_bytes_of(process);
        report.peak_resident_bytes = std::max(report.peak_resident_bytes, together);
        over_limit = together > order.resident_bytes;
    }

    double seconds_to_wait() const {
        double until = asked_at == 0 ? started + order.seconds : asked_at + grace_seconds;
        if (order.resident_bytes > 0) until = std::min(until, next_measure);
        return until - now();
    }

    void wait() {
        std::array<pollfd, 2> watched{{{signals.get(), POLLIN, 0}, {GuardianDescriptors::control, POLLIN, 0}}};
        poll(watched.data(), watched.size(), poll_timeout(seconds_to_wait()));
        signalfd_siginfo heard;
        while (read(signals.get(), &heard, sizeof heard) == sizeof heard)
            if (heard.ssi_signo != SIGCHLD) ended_by = static_cast<int>(heard.ssi_signo);
        told = watched[1].revents != 0;
        reap();
    }

    // Returns whether any child is left.
    bool reap() {
        while (true) {
            int status = 0;
            rusage usage{};
            const auto process = wait4(-1, &status, WNOHANG, &usage);
            if (process < 0) return errno != ECHILD;
            if (process == 0) return true;
            if (process != child) continue;
            child_ended = true;
            child_status = status;
            report.seconds = now() - started;
            report.peak_resident_bytes = std::max(report.peak_resident_bytes, std::int64_t{usage.ru_maxrss} * 1024);
        }
    }

    // Kills only our own children: nobody else can reap them, so their numbers cannot be reused by other processes.
    // Their children become ours when they end.
    void end_all() {
        const double give_up = now() + give_up_seconds;
        while (reap() && now() < give_up) {
            bool found_more = false;
            for (const auto process : children_of(getpid())) {
                if (!runs(process)) continue;
                kill(process, SIGKILL);
                found_more |= killed.insert(process).second;
            }
            // While new ones appear, be faster than they fork; otherwise give the kernel a moment to end them.
            if (!found_more) usleep(200);
        }
    }

    void conclude() {
        report.told = told && !child_ended_first();
        if (!child_ended) {
            report.seconds = now() - started;
            report.stopped += report.stopped.empty() ? "it could not be killed" : ", and it could not be killed";
        }
        const bool by_signal = !child_ended || WIFSIGNALED(child_status);
        report.ended = asked_at != 0 ? "timeout" : by_signal ? "signal" : "exit";
        report.code = !child_ended ? SIGKILL : by_signal ? WTERMSIG(child_status) : WEXITSTATUS(child_status);
    }

    // A stop order may arrive together with the child's own end.
    bool child_ended_first() const { return child_ended && !killed.contains(child); }

    Order order;
    Report report;
    Descriptor signals;
    pid_t child = -1;
    int child_status = 0;
    bool child_ended = false;
    bool told = false;
    bool over_limit = false;
    int ended_by = 0;  // the signal that ended this guardian
    double started = 0;
    double asked_at = 0;  // when the deadline's SIGTERM was sent; 0 before
    double next_measure = 0;
    std::set<pid_t> killed;
};

void send_report(const Report& report) {
    const auto bytes = to_bytes(report);
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const auto written = write(GuardianDescriptors::report, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return;  // no reader is left
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

int guardian_main(int, char**) {
    auto order = order_from(text_in(GuardianDescriptors::order));
    if (!order) {
        std::fputs("tocuda __guardian: internal verb, not for users\n", stderr);
        return 2;
    }
    close(GuardianDescriptors::order);
    send_report(Guardian(std::move(*order)).guard());
    return 0;
}

}  // namespace tocuda
