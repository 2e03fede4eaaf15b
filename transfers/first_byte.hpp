// tocuda, Apache-2.0.
// A process that is started only to say how long it took until it could use the GPU: this program again, by a word of
// its own.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tocuda {

// What it passes, in this order.
enum class Milestone { program, runtime, context, first_copy, first_kernel };
inline constexpr std::array<std::string_view, 5> milestone_words{"program", "runtime", "context", "first_copy",
                                                                 "first_kernel"};
std::optional<Milestone> milestone_called(std::string_view word);

struct FirstByte {
    std::array<double, milestone_words.size()>
        seconds{};         // since it was started, or by the virtual clock where GPUs are simulated
    std::string wrong{};   // with what was copied or computed
    std::string failed{};  // what kept it from going on

    double at(Milestone milestone) const { return seconds[static_cast<std::size_t>(milestone)]; }
};

// Starts one with this value of CUDA_MODULE_LOADING and waits for its end. Throws where it failed.
FirstByte first_byte(const std::string& module_loading);

// The exit code, where this process was started as one.
std::optional<int> answered_as_first_byte(int count, char** arguments);

}  // namespace tocuda
