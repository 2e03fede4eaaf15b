// tocuda, Apache-2.0.
#include "process/watched_child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "process/child.hpp"
#include "process/spawning.hpp"

namespace tocuda {

void SaidLines::hear(std::string_view piece, const std::function<void(std::string_view line)>& on_line) {
    if (!wrong.empty()) return;
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(limit_bytes - heard_bytes, 0));
    const bool flood = piece.size() > room;
    piece = piece.substr(0, room);
    heard_bytes += static_cast<std::int64_t>(piece.size());
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
        std::string whole;
        std::string_view line = piece.substr(0, end);
        if (!pending.empty()) {
            whole = std::move(pending);
            pending.clear();
            line = whole += line;
        }
        piece.remove_prefix(end + 1);
        if (on_line) on_line(line);
    }
    pending += piece;
    if (flood) wrong = "wrote more than " + amount_of_bytes(limit_bytes) + " to descriptor 3";
    else if (pending.size() > longest_line)
        wrong = "wrote a line of more than " + amount_of_bytes(longest_line) + " to descriptor 3";
    if (!wrong.empty()) pending.resize(std::min(pending.size(), longest_torn));
}

void Tail::hear(std::string_view piece) {
    if (piece.size() > kept) {
        cut = true;
        end = piece.substr(piece.size() - kept);
        return;
    }
    end += piece;
    if (end.size() <= 2 * kept) return;
    cut = true;
    end.erase(0, end.size() - kept);
}

std::string Tail::text() const {
    if (!cut && end.size() <= kept) return end;
    std::string last = end.substr(end.size() - std::min(end.size(), kept));
    const auto inside_a_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
    for (int most = 3; most > 0 && !last.empty() && inside_a_character(last.front()); --most) last.erase(0, 1);
    return last;
}

std::string amount_of_bytes(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s", amount, units[unit]);
    return text.data();
}

}  // namespace tocuda

// Handles one child for the supervisor. Nothing here blocks.

namespace tocuda {
namespace {

constexpr double guardian_needs_seconds = 8;  // beyond the deadline: grace period, attempts to kill, a busy machine
constexpr double drain_seconds = 1;
constexpr double look_again_seconds = 0.001;

// A guardian is our own program: it needs the variables that loaded us, and none of the child's.
std::vector<std::string> guardian_environment() {
    std::vector<std::string> environment;
    for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"})
        if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
    return environment;
}

// A child that has closed its input must not kill this process by SIGPIPE, whatever our own handling of the signal is.
ssize_t write_without_signal(int descriptor, std::string_view text) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const auto written = write(descriptor, text.data(), text.size());
    const int problem = errno;
    constexpr timespec at_once{};
    if (written < 0 && problem == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_signal, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = problem;
    return written;
}

// Reads at most `room`. Returns false at end of file.
bool read_some(Descriptor& descriptor, std::string& room, std::string_view& piece) {
    const auto count = read(descriptor.get(), room.data(), room.size());
    piece = std::string_view(room).substr(0, count > 0 ? static_cast<std::size_t>(count) : 0);
    const bool open = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
    if (!open) descriptor.close();
    return open;
}

}  // namespace

WatchedChild::WatchedChild(const Child& child, Reactions reactions)
    : react(std::move(reactions)), lines(child.said_bytes), seconds_allowed(child.seconds) {}

void WatchedChild::start(const std::string& guardian, const Child& child) try {
    started = now();
    overdue = started + seconds_allowed + guardian_needs_seconds;
    if (child.command.empty()) throw std::system_error(EINVAL, std::generic_category(), "no command");
    auto to_child = child.keep_input ? make_pipe() : Pipe{open_null(), {}};
    Pipe reports = make_pipe(), errors = make_pipe(), says = make_pipe(), controls = make_pipe();
    const auto order =
        memory_holding(to_bytes(Order{child.command, child.environment, child.seconds, child.resident_bytes}));
    for (const auto* end : {&reports.read, &errors.read, &says.read}) set_nonblocking(*end);
    if (to_child.write.open()) set_nonblocking(to_child.write);

    Spawning spawning;
    spawning.hand_on(to_child.read.get(), GuardianDescriptors::child_input);
    spawning.hand_on(reports.write.get(), GuardianDescriptors::report);
    spawning.hand_on(errors.write.get(), GuardianDescriptors::child_stderr);
    spawning.hand_on(says.write.get(), GuardianDescriptors::child_says);
    spawning.hand_on(controls.read.get(), GuardianDescriptors::control);
    spawning.hand_on(order.get(), GuardianDescriptors::order);
    // The child's program is the last argument, for readers of a process list.
    const auto [process, problem] =
        spawning.start(guardian, {"tocuda", "__guardian", child.command.front()}, guardian_environment());
    if (problem != 0)
        throw std::system_error(problem, std::generic_category(), "cannot start the guardian " + guardian);
    guardian_process = process;
    control = std::move(controls.write);
    report_pipe = std::move(reports.read);
    said = std::move(says.read);
    complaints = std::move(errors.read);
    input = std::move(to_child.write);
} catch (const std::system_error& problem) {
    report = Report{.ended = "not_started", .stopped = problem.what()};
}

void WatchedChild::stop(const std::string& why) {
    if (!control.open()) return;
    wish = why;
    control.close();
    overdue = std::min(overdue, now() + guardian_needs_seconds);
}

void WatchedChild::send(std::string_view text) {
    if (!input.open() || input_ends) return;
    to_send += text;
    write_input();
}

void WatchedChild::close_input() {
    input_ends = true;
    if (to_send.empty()) input.close();
}

void WatchedChild::write_input() {
    while (input.open() && !to_send.empty()) {
        const auto written = write_without_signal(input.get(), to_send);
        if (written >= 0) to_send.erase(0, static_cast<std::size_t>(written));
        else if (errno == EAGAIN) return;
        else if (errno != EINTR) input.close();  // the child has closed its input
    }
    if (!input.open()) to_send.clear();
    if (input_ends) input.close();
}

std::array<pollfd, WatchedChild::descriptors> WatchedChild::awaited() const {
    // After a fault its output is not read: it blocks on the full pipe until its guardian ends it.
    const int hears = lines.fault().empty() ? said.get() : -1;
    return {{{report_pipe.get(), POLLIN, 0},
             {hears, POLLIN, 0},
             {complaints.get(), POLLIN, 0},
             {to_send.empty() ? -1 : input.get(), POLLOUT, 0}}};
}

double WatchedChild::next_moment() const {
    if (ended()) return now();
    if (guardian_gone()) return drained_by;
    return report_pipe.open() ? overdue : now() + look_again_seconds;
}

void WatchedChild::hear(std::string& room) {
    std::string_view piece;
    read_some(said, room, piece);
    lines.hear(piece, react.on_line);
    if (!lines.fault().empty()) stop(lines.fault());
}

void WatchedChild::attend(const std::array<pollfd, descriptors>& found, std::string& room) {
    std::string_view piece;
    if (found[0].revents != 0) {
        read_some(report_pipe, room, piece);
        report_bytes += piece;
    }
    if (found[1].revents != 0) hear(room);
    if (found[2].revents != 0) {
        read_some(complaints, room, piece);
        tail.hear(piece);
    }
    if (found[3].revents != 0) write_input();
    if (guardian_gone()) return;
    if (now() >= overdue) kill(guardian_process, SIGKILL);
    if (!report_pipe.open() || now() >= overdue) reap_guardian();
}

void WatchedChild::reap_guardian() {
    if (waitpid(guardian_process, &guardian_status, WNOHANG) != guardian_process) return;
    guardian_process = -1;
    drained_by = now() + drain_seconds;
    control.close();
    input.close();
    report = report_from(report_bytes);
    killed_guardian = !report;
    if (report) return;
    report = Report{.ended = "signal", .code = SIGKILL, .seconds = now() - started};
    const bool by_signal = WIFSIGNALED(guardian_status);
    report->stopped = !wish.empty() ? wish : by_signal ? "the guardian was killed" : "the guardian gave no report";
}

bool WatchedChild::ended() const {
    if (!report || !guardian_gone()) return false;
    const bool heard_all = !said.open() || !lines.fault().empty();
    return (heard_all && !complaints.open()) || now() >= drained_by;
}

Outcome WatchedChild::outcome() const {
    Outcome outcome{report->ended, report->code, report->seconds, report->stopped};
    if (report->told) outcome.stopped = wish.empty() ? "stopped" : wish;
    if (!lines.fault().empty()) outcome.stopped = lines.fault();
    return outcome;
}

Ended WatchedChild::end() const {
    return {outcome(), tail.text(), lines.torn(), report->outlived, report->peak_resident_bytes};
}

}  // namespace tocuda
