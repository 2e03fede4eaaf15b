// tocuda, Apache-2.0.
// Finds what `show --ticket` prints: the newest recorded result of a claim, a scenario's claims, a benchmark or one of
// its rows.
#pragma once

#include <filesystem>
#include <string>

#include "command/verb.hpp"
#include "model/problem.hpp"
#include "request/catalogue.hpp"

namespace tocuda {

// `words`: a claim, a scenario, a benchmark, or ROW as in `cite`.
Expected<std::string> tickets(const Catalogue& catalogue, const Words& words, const std::filesystem::path& folder);

}  // namespace tocuda
