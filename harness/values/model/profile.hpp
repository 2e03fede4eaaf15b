// tocuda, Apache-2.0.
// A profile: a GPU to be simulated, as published figures describe it, and what the machine that holds it calls itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/schema/simulated_machine.hpp"

namespace tocuda {

// Where figures were published.
struct ProfileSource {
    std::string document;
    std::vector<std::string> figures{};

    bool operator==(const ProfileSource&) const = default;
};

// Whether a source is a recording of tocuda's own: "measured, results/nvidia-h200/...".
inline bool is_own_recording(std::string_view document) { return document.starts_with("measured, results/"); }

// What is simulated: the machine, and what the result file says of it.
struct Simulation {
    SimulatedMachine machine{};
    std::optional<std::string> boot{};
    std::optional<std::string> clock{};  // UTC, "2026-11-21T10:00:00Z"
    bool planned_as_real = false;        // for tests: a plan treats its GPUs as it would real ones

    bool operator==(const Simulation&) const = default;
};

struct GpuProfile {
    SimulatedGpu gpu{};
    std::vector<std::string> figures{};  // those that it says; the others have their default
    std::vector<ProfileSource> sources{};
    std::vector<std::string> unknown{};
    std::optional<Simulation> machine{};  // without its GPUs

    bool operator==(const GpuProfile&) const = default;
};

}  // namespace tocuda
