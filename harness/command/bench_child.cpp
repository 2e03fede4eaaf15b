// tocuda, Apache-2.0.
#include "command/bench_child.hpp"

#include <sstream>

#include "lines/benchmark.hpp"
#include "process/clean_environment.hpp"
#include "process/fakes_environment.hpp"

namespace tocuda {

std::string program_of(const Worker& worker, bool simulated) {
    const auto on_the_cpu = worker.program.string() + "-simulated";
    return simulated && std::filesystem::exists(on_the_cpu) ? on_the_cpu : worker.program.string();
}

std::string words_for(const Protocol& protocol, const std::vector<Parameters>& sets) {
    auto words = to_line(protocol) + "\n";
    for (const auto& set : sets) words += to_line(set) + "\n";
    return words;
}

double seconds_to_measure(const std::vector<Parameters>& sets, const Protocol& protocol) {
    constexpr double start_seconds = 30;
    constexpr double set_seconds = 2;
    constexpr double slowest_bytes_per_second = 1e8;
    double seconds = start_seconds;
    for (const auto& set : sets) {
        seconds += set_seconds + 10 * protocol.launch_budget_s;
        const auto bytes = set.find("bytes");
        if (bytes == set.end()) continue;
        if (const auto* number = std::get_if<std::int64_t>(&bytes->second.held))
            seconds += static_cast<double>(*number) / slowest_bytes_per_second;
    }
    return seconds;
}

std::optional<std::string> visible_gpus(const std::vector<int>& gpus, int all, const std::optional<std::string>& ours) {
    if (gpus.empty() || static_cast<int>(gpus.size()) == all) return std::nullopt;
    std::vector<std::string> names;
    std::istringstream list(ours.value_or(""));
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    std::string text;
    for (const int gpu : gpus) {
        const auto position = static_cast<std::size_t>(gpu);
        text += (text.empty() ? "" : ",") + (position < names.size() ? names[position] : std::to_string(gpu));
    }
    return text;
}

std::variant<Environment, std::string> measuring_environment(const std::filesystem::path& simulation,
                                                             const std::vector<int>& gpus, int all) {
    const auto ours = environment_of_this_process();
    std::vector<std::string> fakes;
    if (!simulation.empty()) fakes.push_back("runtime " + simulation.string());
    auto changes = fakes_environment(fakes, program_folder() / "simulator", ours);
    if (const auto* bad = std::get_if<BadFake>(&changes)) return bad->problem;
    auto environment = std::get<Environment>(changes);
    const auto list = ours.find("CUDA_VISIBLE_DEVICES");
    const auto listed = simulation.empty() && list != ours.end() ? list->second : std::nullopt;
    if (const auto visible = visible_gpus(gpus, all, listed)) environment["CUDA_VISIBLE_DEVICES"] = *visible;
    return environment;
}

}  // namespace tocuda
