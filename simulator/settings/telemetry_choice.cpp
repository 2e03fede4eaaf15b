// tocuda, Apache-2.0.
#include "settings/telemetry_choice.hpp"

#include <algorithm>

namespace tocuda::simulator {
namespace {

constexpr double busy_lasts = 0.05;

bool holds(const TelemetryMoment& moment, const TelemetryNow& now) {
    const bool worked = now.work_begin >= 0;
    if (now.reading < moment.reading || now.seconds < moment.after_seconds) return false;
    if (moment.process && *moment.process != now.process) return false;
    if (moment.while_busy && (!worked || now.seconds > now.work_end + busy_lasts)) return false;
    return !moment.after_work || (worked && now.seconds >= now.work_begin + *moment.after_work);
}

}  // namespace

const TelemetryLine* telemetry_line(const std::vector<TelemetryLine>& lines, std::string_view field,
                                    const TelemetryNow& now) {
    const auto counts = [&](const TelemetryLine& line) { return line.field == field && holds(line.moment, now); };
    const auto found = std::find_if(lines.rbegin(), lines.rend(), counts);
    return found == lines.rend() ? nullptr : &*found;
}

}  // namespace tocuda::simulator
