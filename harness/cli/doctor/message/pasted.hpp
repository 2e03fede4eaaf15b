// tocuda, Apache-2.0.
// What other tools print about a machine, read by its keys and given to the checks: collect_env of PyTorch, nvidia-smi
// with and without -q, lspci. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doctor/checks.hpp"

namespace tocuda::doctor {

struct Pasted {
    std::string tool{};      // "collect_env", "collect_env and nvidia-smi"
    Findings findings{};     // the checks' on what was pasted
    std::string not_seen{};  // what the checks would also look at
};

// nullopt if the text is none of them. Several are judged each by itself. `error` is the error that stands beside them,
// with which they may disagree.
std::optional<Pasted> judge_pasted(std::string_view text, std::string_view error = "");

}  // namespace tocuda::doctor
