// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "model/utc.hpp"
#include "record/impossible_values.hpp"
#include "record/result_file.hpp"

namespace tocuda {
namespace {

using Wrong = std::vector<std::string>;

// In `shape`, `0` matches a digit and `x` a hexadecimal digit; other characters match themselves.
bool looks_like(std::string_view text, std::string_view shape) {
    return std::equal(text.begin(), text.end(), shape.begin(), shape.end(), [](char is, char must) {
        if (must == '0') return is >= '0' && is <= '9';
        if (must == 'x') return (is >= '0' && is <= '9') || (is >= 'a' && is <= 'f');
        return is == must;
    });
}

constexpr std::string_view uuid_shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool is_width(int width) { return width >= 0 && width <= 32 && (width & (width - 1)) == 0; }

void look_at_link(const PcieLink& link, const std::string& which, Wrong& wrong) {
    if (link.width && !is_width(*link.width))
        wrong.emplace_back(fmt::format("{} has a PCIe link of {} lanes", which, *link.width));
    if (link.width && link.width_max && *link.width > *link.width_max)
        wrong.emplace_back(which + " has a PCIe link wider than its maximum");
    if (const auto highest = highest_generation(link); link.generation && highest && *link.generation > *highest)
        wrong.emplace_back(which + " has a PCIe generation above its maximum");
}

void look_at_gpus(const std::vector<Gpu>& gpus, Wrong& wrong) {
    std::set<int> indices;
    std::set<std::string> uuids;
    for (const auto& gpu : gpus) {
        const auto which = fmt::format("GPU {}", gpu.index);
        if (!indices.insert(gpu.index).second) wrong.emplace_back(which + " is listed twice");
        if (gpu.uuid && !uuids.insert(*gpu.uuid).second)
            wrong.emplace_back(which + " has the same UUID as another GPU");
        if (gpu.memory_bytes && *gpu.memory_bytes <= 0) wrong.emplace_back(which + " has no memory");
        if (gpu.power_limit_w && !(*gpu.power_limit_w > 0 && *gpu.power_limit_w < 5000))
            wrong.emplace_back(which + " has a power limit outside 0 to 5000 W");
        look_at_link(gpu.pcie, which, wrong);
    }
}

void look_at_words(const RunLine& run, Wrong& wrong) {
    if (run.schema < 1) wrong.emplace_back(fmt::format("schema {} does not exist", run.schema));
    if (!looks_like(run.run, uuid_shape)) wrong.emplace_back("'run' is not a UUID");
    if (!looks_like(run.session, uuid_shape)) wrong.emplace_back("'session' is not a UUID");
    if (!utc_of(run.time)) wrong.emplace_back("'time' is not a valid time: " + run.time);
    if (run.driver_loaded && !utc_of(*run.driver_loaded))
        wrong.emplace_back("'driver_loaded' is not a valid time: " + *run.driver_loaded);
    if (run.suite.commit &&
        (run.suite.commit->size() < 7 || !looks_like(*run.suite.commit, std::string(run.suite.commit->size(), 'x'))))
        wrong.emplace_back("'commit' is not a commit hash");
}

constexpr std::array<std::string_view, 4> ends{"exit", "signal", "timeout", "not_started"};
constexpr double longest_seconds = 7 * 86400.0;

bool is_code(const Outcome& outcome) {
    if (outcome.ended == "exit") return outcome.code >= 0 && outcome.code <= 255;
    return outcome.ended != "signal" || (outcome.code >= 1 && outcome.code <= 64);
}

// A judge may decide from the outcome alone, without observations, but not if no child was started.
void look_at_claims(const Row& row, std::vector<std::string>& wrong) {
    const bool was_run = row.evidence.outcome.ended != "not_started";
    std::set<std::string> ids;
    for (const auto& claim : row.claims) {
        if (!ids.insert(claim.id).second) wrong.emplace_back("claim " + claim.id + " is judged twice");
        if (!was_run && is_decided(claim.verdict))
            wrong.emplace_back("claim " + claim.id + " is decided but nothing was run");
    }
}

}  // namespace

std::vector<std::string> wrong_with_run(const RunLine& run) {
    Wrong wrong;
    look_at_words(run, wrong);
    if (run.driver_loaded && *run.driver_loaded > run.time)
        wrong.emplace_back("the driver was loaded after the run began");
    if (run.device == Device::real && run.driver.flavour == "simulated")
        wrong.emplace_back("device is 'real' but the driver is simulated");
    if (run.device == Device::simulated && run.driver.flavour && *run.driver.flavour != "simulated" &&
        run.verb == "bench")
        wrong.emplace_back("device is 'simulated' but the driver is not");
    if (run.verb == "bench" && !run.protocol) wrong.emplace_back("a bench run without a protocol");
    if (run.protocol && run.protocol->version < 1)
        wrong.emplace_back(fmt::format("protocol version {} does not exist", run.protocol->version));
    if (run.resumes == run.run) wrong.emplace_back("the run resumes itself");
    look_at_gpus(run.gpus, wrong);
    return wrong;
}

bool is_to_come(const RunLine& run, std::chrono::sys_seconds now) {
    const auto time = utc_of(run.time);
    return run.device != Device::simulated && time && *time > now + std::chrono::days(1);
}

std::vector<std::string> wrong_with_resuming(const RunLine& run, const RunLine& before) {
    Wrong wrong;
    const auto same = [&](bool is, const char* what) {
        if (!is) wrong.emplace_back(std::string("the run it resumes has a different ") + what);
    };
    const auto uuids = [](const RunLine& of) {
        std::vector<std::string> list;
        for (const auto& gpu : of.gpus) list.push_back(gpu.uuid.value_or(""));
        return list;
    };
    same(run.device == before.device, "device");
    same(run.verb == before.verb, "verb");
    same(run.driver == before.driver, "driver");
    same(run.boot == before.boot, "boot");
    same(run.suite == before.suite, "suite");
    same(uuids(run) == uuids(before), "GPU");
    same(run.protocol == before.protocol, "protocol");
    if (run.time < before.time) wrong.emplace_back("the run began before the run it resumes");
    return wrong;
}

Expected<void> check_name(const std::string& file_name, const RunLine& run) {
    constexpr std::string_view time_shape = "00000000T000000Z-";
    constexpr std::string_view end_shape = "-xxxxxxxx.jsonl";
    const std::string_view name = file_name;
    if (name.size() <= time_shape.size() + end_shape.size() ||
        !looks_like(name.substr(0, time_shape.size()), time_shape) ||
        !looks_like(name.substr(name.size() - end_shape.size()), end_shape))
        return {};
    const auto should = result_file_name(run);
    if (name == should) return {};
    return problem("the file name does not match the time, verb, device and run of this line; expected " + should);
}

std::vector<std::string> wrong_with_scenario(const Row& row) {
    std::vector<std::string> wrong;
    const auto& [device, stand_in, outcome, observations, stderr_tail] = row.evidence;
    if (std::find(ends.begin(), ends.end(), outcome.ended) == ends.end())
        wrong.emplace_back("unknown outcome '" + outcome.ended + "'");
    if (!is_code(outcome)) wrong.emplace_back(fmt::format("impossible outcome: {} {}", outcome.ended, outcome.code));
    if (outcome.seconds < 0) wrong.emplace_back("the duration is negative");
    if (outcome.seconds > longest_seconds) wrong.emplace_back("the duration is longer than a week");
    if (outcome.ended == "not_started" && !observations.empty())
        wrong.emplace_back("the scenario was not started but has observations");
    if (const auto checked = check_device(device, stand_in); !checked) wrong.push_back(checked.error().what);
    look_at_claims(row, wrong);
    return wrong;
}

}  // namespace tocuda
