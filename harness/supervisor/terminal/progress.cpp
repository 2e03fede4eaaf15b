// tocuda, Apache-2.0.
#include "terminal/progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

constexpr double first_seconds = 2;
constexpr double terminal_seconds = 0.25;
constexpr double longest_pause = 30;
constexpr std::size_t most_columns = 79;
constexpr std::size_t fewest_columns = 20;

// One less than the terminal has, because a full line would wrap.
std::size_t columns_to_fill() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return most_columns;
    return std::clamp(static_cast<std::size_t>(size.ws_col) - 1, fewest_columns, most_columns);
}

}  // namespace

Progress::Progress(bool quiet, double now)
    : silent(quiet), terminal(::isatty(STDERR_FILENO) == 1), next(now + (terminal ? terminal_seconds : first_seconds)) {
}

Progress::~Progress() { clear(); }

void Progress::say(double now, std::string text) {
    if (silent || now < next) return;
    text = "tocuda: " + text;
    const auto columns = terminal ? columns_to_fill() : most_columns;
    if (text.size() > columns) text = text.substr(0, columns - 3) + "...";
    if (terminal) {
        std::fputs(fmt::format("\r{:<{}}", text, columns).c_str(), stderr);
        next = now + terminal_seconds;
        shown = columns;
    } else {
        complain(text);
        next = now + pause;
        pause = std::min(2 * pause, longest_pause);
    }
    std::fflush(stderr);
}

void Progress::clear() {
    if (shown > 0) std::fputs(fmt::format("\r{:<{}}\r", "", columns_to_fill()).c_str(), stderr);
    shown = 0;
}

}  // namespace tocuda
