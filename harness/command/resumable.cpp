// tocuda, Apache-2.0.
#include "command/resumable.hpp"

#include <optional>
#include <vector>

#include "gathering/run_fields.hpp"
#include "lines/build_line.hpp"

namespace tocuda {
namespace {

constexpr auto unknown = "unknown";

std::string host_text(const RunLine& line) { return line.machine.host.value_or(unknown); }

std::string driver_and_flavour(const RunLine& line) {
    return driver_text(line.driver) + ", " + line.driver.flavour.value_or(unknown);
}

std::string gpus_text(const RunLine& line) {
    std::string text;
    for (const auto& gpu : line.gpus)
        text += (text.empty() ? "" : ", ") + gpu.name.value_or(unknown) + " " + gpu.uuid.value_or("without a UUID");
    return (line.device == Device::simulated ? "simulated " : "") + (text.empty() ? "none" : text);
}

std::string suite_text(const RunLine& line) { return version_text({line.suite}); }

std::string libtorch_text(const RunLine& line) { return line.libtorch.version.value_or(unknown); }

std::vector<std::optional<std::string>> uuids(const RunLine& line) {
    std::vector<std::optional<std::string>> list;
    for (const auto& gpu : line.gpus) list.push_back(gpu.uuid);
    return list;
}

}  // namespace

std::string why_not_resumable(const RunLine& before, const RunLine& now) {
    const auto differs = [&](const std::string& what, std::string (*text)(const RunLine&)) {
        const auto then = text(before);
        const auto here = text(now);
        return then == here ? what : what + ": was " + then + ", is " + here;
    };
    if (before.verb != now.verb) return "it was recorded by `tocuda " + before.verb + "`";
    if (before.boot != now.boot) return differs("the machine was rebooted, or it is a different one", host_text);
    if (before.driver != now.driver) return differs("the driver differs", driver_and_flavour);
    if (uuids(before) != uuids(now) || before.device != now.device) return differs("the GPUs differ", gpus_text);
    if (before.suite != now.suite) return differs("tocuda has changed", suite_text);
    if (before.libtorch.version != now.libtorch.version)
        return differs("the version of LibTorch differs", libtorch_text);
    return "";
}

}  // namespace tocuda
