// tocuda, Apache-2.0.
// Starts this program again, with a special argument, as a process that only reports how long it took until it could
// use the GPU.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tocuda {

// In the order in which the process reaches them.
enum class Milestone { program, runtime, context, first_copy, first_kernel };
inline constexpr std::array<std::string_view, 5> milestone_words{"program", "runtime", "context", "first_copy",
                                                                 "first_kernel"};
std::optional<Milestone> milestone_called(std::string_view word);

struct FirstByte {
    std::array<double, milestone_words.size()> seconds{};  // since its start; virtual time if GPUs are simulated
    std::string wrong{};                                   // the error in the copied or computed bytes
    std::string failed{};                                  // the error that ended it early

    double at(Milestone milestone) const { return seconds[static_cast<std::size_t>(milestone)]; }
};

// Starts such a process with this value of CUDA_MODULE_LOADING and waits for its end. Throws if it failed.
FirstByte first_byte(const std::string& module_loading);

// If this process was started as one, measures and returns its exit code; otherwise returns nullopt.
std::optional<int> answered_as_first_byte(int count, char** arguments);

}  // namespace tocuda
