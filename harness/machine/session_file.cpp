// tocuda, Apache-2.0.
// Stores sessions on disk: one small file for each boot, changed under a lock.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "machine/driver_load.hpp"
#include "machine/session.hpp"
#include "machine/text_file.hpp"
#include "machine/uuid.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

// Holds a lock on the file during its lifetime; `reason` says why if it could not.
class Lock {
public:
    explicit Lock(const fs::path& file) : descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        if (descriptor < 0) {
            reason = file.string() + ": " + std::strerror(errno);
            return;
        }
        while (flock(descriptor, LOCK_EX) != 0)
            if (errno != EINTR) {
                reason = file.string() + ": " + std::strerror(errno);
                return;
            }
        ::futimens(descriptor, nullptr);  // keeps the file from being removed as old
    }
    ~Lock() {
        if (descriptor >= 0) close(descriptor);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    std::string reason;

private:
    int descriptor;
};

std::int64_t start_ticks(std::int64_t process) {
    const auto stat = read_text("/proc/" + std::to_string(process) + "/stat");
    return stat ? start_ticks_of(*stat).value_or(0) : 0;
}

Runner self() { return {getpid(), start_ticks(getpid())}; }

bool is_alive(Runner runner) { return start_ticks(runner.process) == runner.start_ticks && runner.start_ticks != 0; }

std::optional<SessionState> kept(const fs::path& file) {
    const auto text = read_text(file);
    return text ? session_state_of(*text) : std::nullopt;
}

// "session-<boot>"; the boot id must not act as a path.
fs::path file_for(const fs::path& folder, const char* what, std::string boot) {
    std::replace(boot.begin(), boot.end(), '/', '_');
    return folder / (std::string(what) + "-" + boot);
}

// Removes files of sessions that are certainly over.
void forget_old_boots(const fs::path& folder) {
    constexpr std::chrono::hours old{24 * 30};
    const auto now = fs::file_time_type::clock::now();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const auto name = entry.path().filename().string();
        if (!name.starts_with("session") && !name.starts_with("lock")) continue;
        std::error_code gone;
        const auto written = fs::last_write_time(entry.path(), gone);
        if (!gone && now - written > old) fs::remove(entry.path(), gone);
    }
}

Session alone(std::string id, const std::string& reason) {
    return {std::move(id),
            Unavailable{"session",
                        "this run has a session of its own, because the session file cannot be used: " + reason}};
}

}  // namespace

fs::path session_folder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
        return fs::path(state) / "tocuda";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0)
        return fs::path(home) / ".local/state/tocuda";
    return {};
}

Session begin_session(const std::string& boot, const std::string& load_mark, std::chrono::sys_seconds now,
                      const fs::path& folder) {
    auto fresh = random_uuid();
    if (boot.empty()) return alone(fresh, "the boot id of this machine is unknown");
    if (folder.empty()) return alone(fresh, "neither XDG_STATE_HOME nor HOME is set");
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return alone(fresh, folder.string() + ": " + failed.message());
    const Lock lock(file_for(folder, "lock", boot));
    if (!lock.reason.empty()) return alone(fresh, lock.reason);
    forget_old_boots(folder);
    const auto file = file_for(folder, "session", boot);
    const auto state = begun(kept(file), boot, load_mark, now, self(), is_alive, fresh);
    if (!replace_text(file, text_of(state))) return alone(fresh, file.string() + " cannot be written");
    return {state.id, {}};
}

void end_session(const std::string& boot, std::chrono::sys_seconds now, const fs::path& folder) {
    if (folder.empty() || boot.empty()) return;
    const Lock lock(file_for(folder, "lock", boot));
    if (!lock.reason.empty()) return;
    const auto file = file_for(folder, "session", boot);
    const auto state = kept(file);
    if (state) replace_text(file, text_of(ended(*state, now, self())));
}

}  // namespace tocuda
