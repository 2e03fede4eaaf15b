// tocuda, Apache-2.0.
#include "model/utc.hpp"

#include <array>
#include <cstdio>

#include "model/words.hpp"

namespace tocuda {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

sys_seconds utc_now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

std::string utc_text(sys_seconds time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::array<char, 64> text;
    const int length = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<sys_seconds> utc_of(std::string_view text) {
    if (text.size() != 20) return std::nullopt;
    const auto part = [&](std::size_t begin, std::size_t length) {
        return whole_number<int>(text.substr(begin, length)).value_or(-1);
    };
    const std::chrono::year_month_day date{std::chrono::year{part(0, 4)},
                                           std::chrono::month{static_cast<unsigned>(part(5, 2))},
                                           std::chrono::day{static_cast<unsigned>(part(8, 2))}};
    if (!date.ok()) return std::nullopt;
    const sys_seconds time = sys_days{date} + std::chrono::hours{part(11, 2)} + std::chrono::minutes{part(14, 2)} +
                             std::chrono::seconds{part(17, 2)};
    // Accept only the exact text that utc_text writes.
    if (utc_text(time) != text) return std::nullopt;
    return time;
}

}  // namespace tocuda
