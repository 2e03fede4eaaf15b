// tocuda, Apache-2.0.
// The supervisor's side of one child: the guardian's process id, the pipes, and the data received so far.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "process/child.hpp"
#include "process/order.hpp"
#include "process/pipes.hpp"
#include "process/said_lines.hpp"

namespace tocuda {

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
