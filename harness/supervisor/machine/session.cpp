// tocuda, Apache-2.0.
// The session rule, and its state on disk: one small file for each boot, changed under a lock.
#include "machine/session.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "machine/facts.hpp"
#include "machine/text_file.hpp"
#include "machine/uuid.hpp"
#include "model/utc.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

constexpr std::string_view state_head = "tocuda session 1";
constexpr std::chrono::minutes pause{10};

bool goes_on(const SessionState& state, std::chrono::sys_seconds now) {
    // If the clock was set back by more than the pause, the elapsed time is unknown: a new session begins.
    return !state.running.empty() || std::chrono::abs(now - state.last) <= pause;
}

bool read_line(std::string_view line, SessionState& state) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return false;
    const auto key = line.substr(0, space);
    const auto value = line.substr(space + 1);
    if (key == "id") state.id = value;
    else if (key == "boot") state.boot = value;
    else if (key == "load") state.load_mark = value;
    else if (key == "last") {
        const auto time = utc_of(value);
        if (time) state.last = *time;
        return time.has_value();
    } else if (key == "running") {
        const auto words = words_of(value);
        if (words.size() != 2 || !whole_number(words[0]) || !whole_number(words[1])) return false;
        state.running.push_back({*whole_number(words[0]), *whole_number(words[1])});
    } else return false;
    return true;
}

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

std::string text_of(const SessionState& state) {
    std::string text = std::string(state_head) + "\nid " + state.id + "\nboot " + state.boot + "\nload " +
                       state.load_mark + "\nlast " + utc_text(state.last) + "\n";
    for (const auto& runner : state.running)
        text += "running " + std::to_string(runner.process) + " " + std::to_string(runner.start_ticks) + "\n";
    return text;
}

std::optional<SessionState> session_state_of(std::string_view text) {
    const auto lines = lines_of(text);
    if (lines.empty() || lines[0] != state_head || !text.ends_with('\n')) return std::nullopt;
    SessionState state;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (!read_line(lines[i], state)) return std::nullopt;
    if (state.id.empty() || state.last == std::chrono::sys_seconds{}) return std::nullopt;
    return state;
}

SessionState begun(const std::optional<SessionState>& before, const std::string& boot, const std::string& load_mark,
                   std::chrono::sys_seconds now, Runner self, const std::function<bool(Runner)>& alive,
                   const std::string& fresh) {
    SessionState state{fresh, boot, load_mark, now, {}};
    if (before && before->boot == boot && before->load_mark == load_mark) {
        auto earlier = *before;
        std::erase_if(earlier.running, [&](const Runner& runner) { return !alive(runner); });
        if (goes_on(earlier, now)) {
            state.id = earlier.id;
            state.running = earlier.running;
        }
    }
    std::erase(state.running, self);
    state.running.push_back(self);
    return state;
}

SessionState ended(SessionState state, std::chrono::sys_seconds now, Runner self) {
    std::erase(state.running, self);
    state.last = now;
    return state;
}

fs::path session_folder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/') return fs::path(state) / "tocuda";
    if (const char* home = std::getenv("HOME"); home && *home != 0) return fs::path(home) / ".local/state/tocuda";
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

namespace {

bool is_gpu(const std::string& name) {
    constexpr std::size_t word = 6;  // of "nvidia"
    return name.starts_with("nvidia") && name.size() > word &&
           std::all_of(name.begin() + word, name.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

// The driver initialises a GPU that is opened without waiting in a thread of its own, so that one that hangs does not
// hang this process.
HeldDevices::HeldDevices(const std::filesystem::path& folder) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        if (!is_gpu(entry.path().filename())) continue;
        const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0) files.push_back(file);
    }
}

HeldDevices::~HeldDevices() {
    for (const int file : files) ::close(file);
}

}  // namespace tocuda
