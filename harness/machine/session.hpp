// tocuda, Apache-2.0.
// Which session a run belongs to: starts on the same boot and driver load are one until ten minutes have passed since
// the last of them ended. What happens within one is alike in ways that no statistics can see, so that comparison
// counts sessions and not runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// A run that has begun and not said that it ended: its process and when that was started, because numbers of processes
// are used again.
struct Runner {
    std::int64_t process = 0;
    std::int64_t start_ticks = 0;

    bool operator==(const Runner&) const = default;
};

// What is kept between runs.
struct SessionState {
    std::string id;
    std::string boot;
    std::string load_mark;
    std::chrono::sys_seconds last{};  // a run began or ended
    std::vector<Runner> running{};

    bool operator==(const SessionState&) const = default;
};

std::string text_of(const SessionState& state);
// None for anything that text_of did not write.
std::optional<SessionState> session_state_of(std::string_view text);

// Pure: the state once `self` has begun. `fresh` becomes the id where a new session has to begin.
SessionState begun(const std::optional<SessionState>& before, const std::string& boot, const std::string& load_mark,
                   std::chrono::sys_seconds now, Runner self, const std::function<bool(Runner)>& alive,
                   const std::string& fresh);
SessionState ended(SessionState state, std::chrono::sys_seconds now, Runner self);

struct Session {
    std::string id;
    std::optional<Unavailable> not_kept{};  // why other runs will not know of this one
};

// ${XDG_STATE_HOME:-$HOME/.local/state}/tocuda; empty where the environment has neither.
std::filesystem::path session_folder();

// Each boot has a file of its own there: the machines of a cluster share a home folder.
Session begin_session(const std::string& boot, const std::string& load_mark, std::chrono::sys_seconds now,
                      const std::filesystem::path& folder = session_folder());
// To be said by the process that began. What cannot be written is let go: begin_session has said so.
void end_session(const std::string& boot, std::chrono::sys_seconds now,
                 const std::filesystem::path& folder = session_folder());

}  // namespace tocuda
