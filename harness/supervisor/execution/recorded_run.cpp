// tocuda, Apache-2.0.
#include "execution/recorded_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "comparison_input/run_fields.hpp"
#include "json_lines/build_line.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

OrExit<std::vector<Recording>> read(const std::string& file) {
    auto recording = read_recording(file);
    if (!recording) return refuse(usage, recording.error().what);
    std::vector<Recording> recordings;
    recordings.push_back(std::move(*recording));
    if (recordings.front().sections.empty()) return refuse(usage, file + ": contains no run");
    return recordings;
}

OrExit<FoundRun> with_plan(const std::string& file, std::vector<Recording> recordings, RunSections sections) {
    FoundRun found{std::move(recordings), std::move(sections)};
    found.plan = found.first().plan;
    if (!found.plan)
        return refuse(
            usage, file + ": its run line has no plan: it was recorded by an older tocuda or by a verb that has none");
    return found;
}

bool has(const RunSections& run, const std::function<bool(const RunLine&)>& property) {
    return std::ranges::any_of(run, [&](const SectionPlace& place) { return property(place.section->run); });
}

constexpr auto unknown = "unknown";

std::string host_text(const RunLine& line) { return line.machine.host.value_or(unknown); }

std::string driver_and_flavour(const RunLine& line) {
    return driver_text(line.driver) + ", " + line.driver.flavour.value_or(unknown);
}

std::string gpus_text(const RunLine& line) {
    auto text = joined(line.gpus, ", ", [](const auto& gpu) {
        return gpu.name.value_or(unknown) + " " + gpu.uuid.value_or("without a UUID");
    });
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

std::vector<Row> FoundRun::rows() const {
    std::vector<Row> all;
    for (const auto& place : sections)
        for (const auto& one : place.section->rows) all.push_back(one.row);
    return all;
}

std::vector<MeasurementRow> FoundRun::measurements() const {
    std::vector<MeasurementRow> all;
    for (const auto& place : sections)
        for (const auto& one : place.section->measurements) all.push_back(one.row);
    return all;
}

OrExit<FoundRun> last_run_of(const std::string& file, const std::string& verb) {
    auto recordings = read(file);
    if (!recordings) return tl::unexpected(recordings.error());
    const auto& last = recordings->front().sections.back().run;
    if (last.verb != verb) return refuse(usage, file + ": recorded by `tocuda " + last.verb + "`");
    auto runs = runs_of(*recordings);
    const auto run = std::ranges::find_if(runs, [&](const RunSections& one) {
        return has(one, [&](const RunLine& line) { return line.run == last.run; });
    });
    return with_plan(file, std::move(*recordings), std::move(*run));
}

OrExit<FoundRun> run_named(const std::string& file, const std::string& prefix) {
    auto recordings = read(file);
    if (!recordings) return tl::unexpected(recordings.error());
    for (const auto& warning : recordings->front().warnings) complain("tocuda: " + warning);
    auto runs = runs_of(*recordings);
    auto all = joined(runs, ", ", [](const auto& run) { return run.front().section->run.run.substr(0, 8); });
    std::erase_if(runs, [&](const RunSections& run) {
        return !has(run, [&](const RunLine& line) { return line.run.starts_with(prefix); });
    });
    if (runs.size() != 1) {
        const auto wrong = runs.empty() ? "no run begins with '" + prefix + "'" : "contains several runs";
        return refuse(usage, fmt::format("{}: {}; choose one with --run: {}", file, wrong, all));
    }
    const auto& first = runs.front().front().section->run;
    if (first.verb != "bench" && first.verb != "run")
        return refuse(usage, fmt::format("{}: recorded by `tocuda {}`, which cannot be reproduced", file, first.verb));
    if (first.resumes) return refuse(usage, file + ": resumes a run that is in another file; merge both first");
    return with_plan(file, std::move(*recordings), std::move(runs.front()));
}

std::string missing_text(const std::string& file, const std::vector<std::string>& missing) {
    constexpr std::size_t most = 5;
    if (missing.empty()) return "";
    std::string text;
    for (std::size_t one = 0; one < std::min(most, missing.size()); ++one)
        text += (one == 0 ? "" : ", ") + missing[one];
    if (missing.size() > most) text += fmt::format(" and {} more", missing.size() - most);
    return file + ": no worker of this build has " + text;
}

std::string why_not_resumable(const RunLine& before, const RunLine& now) {
    const auto differs = [&](const std::string& what, std::string (*text)(const RunLine&)) {
        const auto then = text(before);
        const auto here = text(now);
        return then == here ? what : what + ": was " + then + ", is " + here;
    };
    if (before.boot != now.boot) return differs("the machine was rebooted, or it is a different one", host_text);
    if (before.driver != now.driver) return differs("the driver differs", driver_and_flavour);
    if (uuids(before) != uuids(now) || before.device != now.device) return differs("the GPUs differ", gpus_text);
    if (before.suite != now.suite) return differs("tocuda has changed", suite_text);
    if (before.libtorch.version != now.libtorch.version)
        return differs("the version of LibTorch differs", libtorch_text);
    return "";
}

std::string why_not_resumable(const FoundRun& before, const Place& place) {
    const auto& gpus = before.plan->where.gpus;
    if (place.where.gpus != gpus)
        return "it was run " + (gpus.empty() ? "without --gpus" : "with --gpus " + gpus) + "; resume it the same way";
    return why_not_resumable(before.last(), place.line);
}

}  // namespace tocuda
