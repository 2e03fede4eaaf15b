// tocuda, Apache-2.0.
// The progress line.
#include "command/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "command/complaint.hpp"

namespace tocuda {
namespace {

constexpr double first_seconds = 2;
constexpr double terminal_seconds = 0.25;
constexpr double longest_pause = 30;
constexpr std::size_t columns = 79;

}  // namespace

Progress::Progress(bool quiet, double now)
    : silent(quiet), terminal(::isatty(STDERR_FILENO) == 1), started(now), next(now + (terminal ? terminal_seconds : first_seconds)) {}

Progress::~Progress() { clear(); }

void Progress::show(double now, int done, int all, const std::vector<std::string>& running) {
    if (silent || now < next) return;
    std::string text = fmt::format("{} of {} done, {:.0f} s", done, all, now - started);
    for (std::size_t i = 0; i < running.size(); ++i) text += (i == 0 ? "; running " : ", ") + running[i];
    say(now, text);
}

void Progress::say(double now, std::string text) {
    if (silent || now < next) return;
    text = "tocuda: " + text;
    if (text.size() > columns) text = text.substr(0, columns - 3) + "...";
    if (terminal) {
        std::fputs(fmt::format("\r{:<79}", text).c_str(), stderr);
        next = now + terminal_seconds;
        shown = true;
    } else {
        complain(text);
        next = now + pause;
        pause = std::min(2 * pause, longest_pause);
    }
    std::fflush(stderr);
}

void Progress::clear() {
    if (shown) std::fputs(fmt::format("\r{:<79}\r", "").c_str(), stderr);
    shown = false;
}

}  // namespace tocuda
