// tocuda, Apache-2.0.
// Times as result files write them: whole seconds, UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tocuda {

std::chrono::sys_seconds utc_now();

// "2026-11-21T10:00:00Z"
std::string utc_text(std::chrono::sys_seconds time);

// Parses what utc_text writes; nullopt for anything else.
std::optional<std::chrono::sys_seconds> utc_of(std::string_view text);

}  // namespace tocuda
