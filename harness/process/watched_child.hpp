// tocuda, Apache-2.0.
// The supervisor's end of one child: the guardian's number, the pipes, and what has come through them so far.
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

    // Where the guardian itself cannot be started, the child has ended as "not_started".
    void start(const std::string& guardian, const Child& child);

    // Ends it now. A fault stands in the outcome whatever comes of it; a mere wish only if the child had not ended before.
    void stop(const std::string& why);
    void send(std::string_view text);
    void close_input();

    static constexpr std::size_t descriptors = 4;
    std::array<pollfd, descriptors> awaited() const;  // -1 for those that are closed already
    double next_moment() const;                       // when it must be looked at although no descriptor says so

    // Reads and writes what the poll found, into `room`; then looks whether the guardian has gone, and whether it is late.
    void attend(const std::array<pollfd, descriptors>& found, std::string& room);

    bool guardian_gone() const { return guardian_process < 0; }
    bool guardian_was_killed() const { return killed_guardian; }  // what it watched came to us, or is gone
    pid_t guardian() const { return guardian_process; }
    bool ended() const;
    Ended end() const;
    const Reactions& reactions() const { return react; }
    void silence() { react = {}; }  // for a supervisor that goes: whoever would react may be gone

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
    double overdue = 0;     // when the guardian must have ended, or is ended
    double drained_by = 0;  // when pipes that somebody still holds are given up
};

}  // namespace tocuda
