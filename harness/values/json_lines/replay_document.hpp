// tocuda, Apache-2.0.
// The document of `replay --json`, and what its worker is asked and answers.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/problem.hpp"
#include "model/replayed.hpp"

namespace tocuda {

struct ReplayRequest {
    std::vector<std::string> files{};
    bool every_device = false;            // else: that with most events of each file
    std::vector<std::string> settings{};  // "all" for those that are known to help
    std::vector<std::int64_t> capacities{};
    bool smallest = false;
};

std::string to_text(const ReplayRequest& request);
// For each file, or for each device of each file.
Expected<std::variant<std::vector<Replayed>, ReplayRefused>> replay_answer(std::string_view text);
std::string replay_document(const Replayed& replayed);
Expected<Replayed> read_replay_document(std::string_view text);

}  // namespace tocuda
