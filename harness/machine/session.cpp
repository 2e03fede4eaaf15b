// tocuda, Apache-2.0.
// The session rule and the text of the state file. Pure.
#include "machine/session.hpp"

#include "machine/text_file.hpp"
#include "machine/utc.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

constexpr std::string_view first_line = "tocuda session 1";
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

}  // namespace

std::string text_of(const SessionState& state) {
    std::string text = std::string(first_line) + "\nid " + state.id + "\nboot " + state.boot + "\nload " +
                       state.load_mark + "\nlast " + utc_text(state.last) + "\n";
    for (const auto& runner : state.running)
        text += "running " + std::to_string(runner.process) + " " + std::to_string(runner.start_ticks) + "\n";
    return text;
}

std::optional<SessionState> session_state_of(std::string_view text) {
    const auto lines = lines_of(text);
    if (lines.empty() || lines[0] != first_line || !text.ends_with('\n')) return std::nullopt;
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

}  // namespace tocuda
