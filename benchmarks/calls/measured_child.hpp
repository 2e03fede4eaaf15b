// tocuda, Apache-2.0.
// Starts this program again, with a special argument, as a process that measures itself and writes one line.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// The descriptor to which it writes.
inline constexpr int child_answers = 3;

// Starts it with these words and, if `setting` is not empty, this `NAME=VALUE` in its environment. Returns what it
// wrote until it ended; empty if it was killed because it took too long.
std::string answer_of_child(std::vector<std::string> words, const std::string& setting = "");

// The child's side: writes its answer, or ends the process if nobody reads it.
void answer_parent(const std::string& line);

double monotonic_seconds();  // the same clock in all processes

// Starts this program again, with a special argument, as a process that only reports how long it took until it could
// use the GPU.

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
