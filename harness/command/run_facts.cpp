// tocuda, Apache-2.0.
#include "command/run_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "command/paper.hpp"
#include "command/patience.hpp"
#include "command/simulated_gpus.hpp"
#include "command/this_rank.hpp"
#include "machine/facts.hpp"
#include "machine/fleet_place.hpp"
#include "machine/probe_report.hpp"
#include "machine/probed.hpp"
#include "machine/session.hpp"
#include "machine/simulation_file.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/suite.hpp"
#include "machine/utc.hpp"
#include "machine/uuid.hpp"
#include "process/clean_environment.hpp"
#include "process/supervisor.hpp"

namespace tocuda {
namespace {

constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;

struct Probed {
    ProbeReport report;
    std::string how_it_ended;
};

Probed ask_the_driver() {
    Supervisor supervisor;
    std::string said;
    Probed probed;
    supervisor.start({.command = {"/proc/self/exe", "__probe"},
                      .environment = child_environment(environment_of_this_process(), {}),
                      .seconds = probe_seconds},
                     {[&](std::string_view line) { said.append(line).append("\n"); },
                      [&](const Ended& ended) { probed.how_it_ended = describe_end(ended.outcome); }});
    wait_for_end(supervisor, "waiting for the driver: it is listing its GPUs");
    probed.report = probe_report_of(said);
    return probed;
}

std::string why_no_gpu(const Probed& probed) {
    const auto& report = probed.report;
    if (!report.finished) return "the driver's probe " + probed.how_it_ended;
    if (report.init.value_or(0) != 0) return fmt::format("none: cuInit returned {} {}", *report.init, report.init_text);
    // The driver decides whether there are GPUs; what NVML lacks is not the reason.
    for (const auto& [field, cause] : report.unavailable)
        if (field.starts_with("gpus")) return "none: " + cause;
    return "none";
}

Available available_of(const Probed& probed) {
    Available available;
    const auto& report = probed.report;
    if (!report.usable() || report.gpus.empty()) {
        available.found = why_no_gpu(probed);
        return available;
    }
    available.device = Device::real;
    available.gpus = *report.devices;
    for (const auto& gpu : report.gpus)
        available.largest_gib =
            std::max(available.largest_gib, static_cast<double>(gpu.memory_bytes.value_or(0)) / bytes_of_gib);
    available.found = fmt::format("{} GPU{}", available.gpus, available.gpus == 1 ? "" : "s");
    return available;
}

void add_libtorch(RunLine& line, const Catalogue& catalogue) {
    for (const auto& worker : catalogue.workers) {
        const auto version = worker.built_with.find("libtorch");
        if (version != worker.built_with.end()) line.libtorch.version = version->second;
    }
    if (!line.libtorch.version) line.unavailable.push_back({"libtorch.version", "no worker is built with LibTorch"});
}

// Returns the GPUs that an entry of --gpus names: an index, a UUID or a prefix of one (the caller rejects ambiguous
// ones).
std::vector<int> gpus_named(const RunFacts& facts, const std::string& word) {
    const bool is_number =
        !word.empty() && word.size() < 5 && word.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) return std::stoi(word) < facts.available.gpus ? std::vector{std::stoi(word)} : std::vector<int>{};
    std::vector<int> found;
    for (const auto& gpu : facts.line.gpus)
        if (word.size() > 4 && gpu.uuid.value_or("").starts_with(word)) found.push_back(gpu.index);
    return found;
}

// Restricts the available GPUs to those listed. Returns what is wrong with the list; empty if nothing is.
std::string choose_among(RunFacts& facts, const std::string& gpus) {
    if (gpus.ends_with(',')) return "--gpus " + gpus + ": ends with a comma; expected 0,1, a UUID or all";
    std::istringstream list(gpus);
    std::set<int> chosen;
    for (std::string one; std::getline(list, one, ',');) {
        const auto named = gpus_named(facts, one);
        if (named.size() > 1)
            return "--gpus " + gpus + ": " + one + " names " + std::to_string(named.size()) +
                   " GPUs; give more of the UUID";
        if (named.empty())
            return "--gpus " + gpus + ": no GPU '" + one + "'; found " + facts.available.found +
                   "; expected numbers from 0 on, a UUID or all";
        if (!chosen.insert(named.front()).second)
            return "--gpus " + gpus + ": GPU " + std::to_string(named.front()) + " is listed twice";
    }
    facts.available.gpus = static_cast<int>(chosen.size());
    facts.chosen.assign(chosen.begin(), chosen.end());
    return "";
}

void take_session(RunFacts& facts, const std::string& boot, const std::string& load_mark,
                  std::chrono::sys_seconds time) {
    std::erase_if(facts.line.unavailable, [](const Unavailable& missing) { return missing.field == "session"; });
    facts.boot = boot;
    const auto session = begin_session(boot, load_mark, time, facts.sessions);
    facts.line.session = session.id;
    if (session.not_kept) facts.line.unavailable.push_back(*session.not_kept);
}

// Gives a simulated machine with a boot or a clock of its own sessions of its own. Returns what is wrong with the
// clock; empty if nothing is.
std::string turn_to_simulated_session(RunFacts& facts, const Simulation& machine) {
    if (!machine.boot && !machine.clock) return "";
    if (machine.clock) facts.clock = utc_of(*machine.clock);
    if (machine.clock && !facts.clock)
        return "--simulate: machine.clock: '" + *machine.clock + "' is not a time such as 2026-11-21T10:00:00Z";
    end_session(facts.boot, utc_now(), facts.sessions);
    if (machine.clock) facts.line.time = *machine.clock;
    if (!facts.sessions.empty()) facts.sessions /= "simulated";
    take_session(facts, facts.line.boot.value_or(""), facts.line.driver.kernel_module.value_or(""),
                 facts.clock.value_or(utc_now()));
    return "";
}

}  // namespace

void end_session_of(const RunFacts& facts) { end_session(facts.boot, facts.clock.value_or(utc_now()), facts.sessions); }

RunFacts gather_run_facts(const std::string& verb, const Words& words, const Catalogue& catalogue) {
    RunFacts facts;
    auto& line = facts.line;
    const auto now = utc_now();
    line.run = random_uuid();
    line.time = utc_text(now);
    line.verb = verb;
    line.command = {"tocuda", verb};
    line.command.insert(line.command.end(), words.begin(), words.end());
    line.suite = this_suite(line.unavailable);
    const auto machine = read_facts();
    add_facts(line, machine);
    facts.sessions = session_folder();
    take_session(facts, machine.boot.value_or(""), machine.load_mark, now);
    line.fleet = this_rank();
    const auto probed = ask_the_driver();
    add_probe(line, probed.report, probed.how_it_ended);
    add_libtorch(line, catalogue);
    facts.available = available_of(probed);
    line.device = facts.available.device;
    return facts;
}

std::string choose_gpus(RunFacts& facts, const std::string& simulate, bool only_real, const std::string& gpus) {
    const bool by_itself =
        simulate.empty() && !only_real && facts.available.device != Device::real && why_no_simulation().empty();
    if (!simulate.empty() || by_itself) {
        const std::string spec = by_itself ? default_simulation : simulate;
        if (const auto why = why_no_simulation(); !why.empty()) return "--simulate: " + why;
        const auto simulation = parse_simulation(spec);
        if (!simulation) return simulation.wrong;
        facts.found_real = facts.available.found;
        facts.available = available_by_simulation(spec, *simulation);
        facts.line.device = Device::simulated;
        add_simulation(facts.line, *simulation);
        if (const auto wrong = turn_to_simulated_session(facts, *simulation); !wrong.empty()) return wrong;
    }
    return gpus.empty() ? "" : choose_among(facts, gpus);
}

std::string take_own_gpu(RunFacts& facts) {
    if (!facts.line.fleet || facts.available.gpus == 0) return "";
    const auto visible = static_cast<int>(facts.line.gpus.size());
    // Each rank simulates GPUs of its own, so a single one is not shared.
    if (facts.available.device == Device::simulated && visible == 1) return "";
    const auto own = own_gpu(
        *facts.line.fleet, facts.available.device == Device::real ? variables_of_this_process() : Variables{}, visible);
    if (const auto* why = std::get_if<std::string>(&own)) return *why;
    facts.chosen = {std::get<int>(own)};
    facts.available.gpus = 1;
    return "";
}

std::string which_rank(const RunFacts& facts) { return facts.line.fleet ? "; " + fleet_text(*facts.line.fleet) : ""; }

std::string where_it_runs(const RunFacts& facts) {
    const auto& available = facts.available;
    if (available.device == Device::simulated)
        return wrap("SIMULATED: " + available.found + (facts.found_real.empty() ? "" : "; real: " + facts.found_real) +
                        which_rank(facts),
                    0, 2);
    if (available.device == Device::real)
        return "on " + available.found + ": " + facts.line.gpus.front().name.value_or("a GPU") + which_rank(facts);
    return wrap("no GPU (found " + available.found + "): what needs one is skipped" + which_rank(facts), 0, 2);
}

}  // namespace tocuda
