// tocuda, Apache-2.0.
// Which session a run belongs to: runs on the same boot and driver load form one session until ten minutes have passed
// since the last one ended. Runs of one session share conditions that no statistics can reveal, so comparisons count
// sessions, not runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// A run that has begun and not yet ended: its process id and the start time of that process, because ids are reused.
struct Runner {
    std::int64_t process = 0;
    std::int64_t start_ticks = 0;

    bool operator==(const Runner&) const = default;
};

// The state that is stored between runs.
struct SessionState {
    std::string id;
    std::string boot;
    std::string load_mark;
    std::chrono::sys_seconds last{};  // when a run last began or ended
    std::vector<Runner> running{};

    bool operator==(const SessionState&) const = default;
};

std::string text_of(const SessionState& state);
// nullopt for anything that text_of did not write.
std::optional<SessionState> session_state_of(std::string_view text);

// Returns the state once `self` has begun; a new session gets the id `fresh`. Pure.
SessionState begun(const std::optional<SessionState>& before, const std::string& boot, const std::string& load_mark,
                   std::chrono::sys_seconds now, Runner self, const std::function<bool(Runner)>& alive,
                   const std::string& fresh);
SessionState ended(SessionState state, std::chrono::sys_seconds now, Runner self);

struct Session {
    std::string id;
    std::optional<Unavailable> not_kept{};  // why other runs cannot join this session
};

// ${XDG_STATE_HOME:-$HOME/.local/state}/tocuda; empty if neither variable is set.
std::filesystem::path session_folder();

// Each boot has its own file there, because the machines of a cluster share a home folder.
Session begin_session(const std::string& boot, const std::string& load_mark, std::chrono::sys_seconds now,
                      const std::filesystem::path& folder = session_folder());
// Call from the process that began. Write errors are ignored, because begin_session has reported them.
void end_session(const std::string& boot, std::chrono::sys_seconds now,
                 const std::filesystem::path& folder = session_folder());

// Holds the GPUs' device files open, as the persistence daemon does, so that the driver does not initialise a GPU anew
// for each process, which takes seconds. Creates no context, and changes no setting.
class HeldDevices {
public:
    // Those in `folder` that may be opened; none if it is empty.
    explicit HeldDevices(const std::filesystem::path& folder);
    HeldDevices(const HeldDevices&) = delete;
    HeldDevices& operator=(const HeldDevices&) = delete;
    ~HeldDevices();

    std::size_t count() const { return files.size(); }

private:
    std::vector<int> files{};
};

}  // namespace tocuda
