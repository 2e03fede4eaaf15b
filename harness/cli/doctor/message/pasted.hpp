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
    std::string tool{};      // "collect_env"
    Findings findings{};     // the checks' on what was pasted
    std::string not_seen{};  // what the checks would also look at
};

// nullopt if the text is none of them.
std::optional<Pasted> judge_pasted(std::string_view text);

}  // namespace tocuda::doctor
