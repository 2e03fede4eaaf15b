// tocuda, Apache-2.0.
// The supervisor's side of one child: what it says, and how it ends.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "process/child.hpp"
#include "process/order.hpp"
#include "process/spawning.hpp"

namespace tocuda {

// Cuts a child's output into lines, up to a limit, and keeps the tail of another stream. A child may never end its
// lines, or never stop.

// Formats an amount of memory: "200 MiB", "1.5 GiB".
std::string amount_of_bytes(std::int64_t bytes);

class SaidLines {
public:
    static constexpr std::size_t longest_line = std::size_t{16} << 20;
    static constexpr std::size_t longest_torn = 200;

    explicit SaidLines(std::int64_t limit) : limit_bytes(limit) {}

    // Ignores its input after a fault.
    void hear(std::string_view piece, const std::function<void(std::string_view line)>& on_line);

    const std::string& fault() const { return wrong; }  // "wrote more than 64 MiB to descriptor 3"; empty for none
    std::string torn() const { return pending.substr(0, longest_torn); }

private:
    std::int64_t limit_bytes;
    std::int64_t heard_bytes = 0;
    std::string pending;
    std::string wrong;
};

// Keeps the last 4 KiB of a text that arrives in pieces.
class Tail {
public:
    static constexpr std::size_t kept = 4096;

    void hear(std::string_view piece);
    std::string text() const;  // never begins inside a UTF-8 character if the start was cut off

private:
    std::string end;
    bool cut = false;
};

// The supervisor's side of one child: the guardian's process id, the pipes, and the data received so far.
class WatchedChild {
public:
    WatchedChild(const Child& child, Reactions reactions);

    // If the guardian cannot be started, the child ends as "not_started".
    void start(const std::string& guardian, const Child& child);

    // Ends the child now. A fault in its output is always reported; `why` only if the child had not ended before.
    void stop(const std::string& why);
    void send(std::string_view text);
    void close_input();

    static constexpr std::size_t descriptors = 4;
    std::array<pollfd, descriptors> awaited() const;  // -1 for closed ones
    double next_moment() const;                       // when it needs attention even without an event

    // Reads and writes what poll reported, using `room`; then checks whether the guardian has ended or is late.
    void attend(const std::array<pollfd, descriptors>& found, std::string& room);

    bool guardian_gone() const { return guardian_process < 0; }
    bool guardian_was_killed() const { return killed_guardian; }  // its descendants are ours now, or gone
    pid_t guardian() const { return guardian_process; }
    bool ended() const;
    Ended end() const;
    const Reactions& reactions() const { return react; }
    void silence() { react = {}; }  // for ~Supervisor: the objects that reactions use may be gone

private:
    void hear(std::string& room);
    void write_input();
    void reap_guardian();
    Outcome outcome() const;

    Reactions react;
    SaidLines lines;
    Tail tail;
    Descriptor control, report_pipe, said, complaints, input;
    std::string report_bytes, to_send, wish;
    std::optional<Report> report;
    bool input_ends = false;
    pid_t guardian_process = -1;
    int guardian_status = 0;
    bool killed_guardian = false;
    double seconds_allowed;
    double started = 0;
    double overdue = 0;     // when the guardian must have ended, or is killed
    double drained_by = 0;  // when pipes that another process still holds open are abandoned
};

}  // namespace tocuda
