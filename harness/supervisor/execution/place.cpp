// tocuda, Apache-2.0.
#include "execution/place.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "engine/engine.hpp"
#include "engine/known_functions.hpp"
#include "machine/facts.hpp"
#include "machine/probe_report.hpp"
#include "machine/session.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/suite.hpp"
#include "machine/uuid.hpp"
#include "model/utc.hpp"
#include "model/words.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {
namespace {

constexpr std::size_t shown_of_uuid = 12;  // "GPU-1a2b3c4d"
constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;

struct Probed {
    ProbeReport report;
    std::string how_it_ended;
};

Probed ask_the_driver(bool with_health, bool quiet) {
    std::vector<std::string> words{"/proc/self/exe", "__probe"};
    if (with_health) words.emplace_back("health");
    const auto [said, ended] = ask(words, probe_seconds, quiet ? "" : "waiting for the driver: it is listing its GPUs");
    return {probe_report_of(said), describe_end(ended.outcome)};
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
    available.found = counted(available.gpus, "GPU");
    return available;
}

// What the kernels were compiled with, which can explain a change as well as the driver can.
void add_cuda(RunLine& line, const Catalogue& catalogue) {
    for (const auto& worker : catalogue.workers) {
        const auto said = [&](const std::string& what) -> std::optional<std::string> {
            const auto found = worker.built_with.find(what);
            return found == worker.built_with.end() ? std::nullopt : std::optional(found->second);
        };
        if (!said("toolkit")) continue;
        line.cuda = {.runtime = said("cuda"), .toolkit = said("toolkit")};
        std::istringstream architectures(said("architectures").value_or(""));
        for (std::string one; architectures >> one;) line.cuda.architectures.push_back(one);
    }
    if (!line.cuda.toolkit) line.unavailable.push_back({"cuda.toolkit", "no worker has kernels that nvcc compiled"});
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
std::vector<int> gpus_named(const Place& place, const std::string& word) {
    const bool is_number =
        !word.empty() && word.size() < 5 && word.find_first_not_of("0123456789") == std::string::npos;
    const auto count = static_cast<int>(place.line.gpus.size());
    if (is_number) return std::stoi(word) < count ? std::vector{std::stoi(word)} : std::vector<int>{};
    std::vector<int> found;
    for (const auto& gpu : place.line.gpus)
        if (word.size() > 4 && gpu.uuid.value_or("").starts_with(word)) found.push_back(gpu.index);
    return found;
}

// Returns the GPUs of a list, ascending.
Expected<std::vector<int>> listed_gpus(const Place& place, const std::string& gpus, ChosenFor chosen_for) {
    const auto count = place.line.gpus.size();
    if (gpus.ends_with(',')) return problem("--gpus " + gpus + ": ends with a comma; expected 0,1, a UUID or all");
    std::istringstream list(gpus);
    std::multiset<int> chosen;
    for (std::string one; std::getline(list, one, ',');) {
        const auto named = gpus_named(place, one);
        if (named.size() > 1)
            return problem(fmt::format("--gpus {}: {} names {} GPUs; give more of the UUID", gpus, one, named.size()));
        if (named.empty())
            return problem("--gpus " + gpus + ": no GPU '" + one + "'; found " + place.available.found + "; expected " +
                           (count > 1 ? fmt::format("0 to {}", count - 1) : "0") + ", a UUID or all");
        if (chosen.contains(named.front()) && chosen_for != ChosenFor::several)
            return problem(
                fmt::format("--gpus {}: GPU {} is listed twice{}", gpus, named.front(),
                            chosen_for == ChosenFor::one_each ? "; with --together several processes share it" : ""));
        chosen.insert(named.front());
    }
    return std::vector<int>(chosen.begin(), chosen.end());
}

// Returns this rank's own GPU; empty outside a fleet.
Expected<std::vector<int>> own_gpus(const Place& place) {
    const auto& fleet = place.line.fleet;
    const auto visible = static_cast<int>(place.line.gpus.size());
    const bool real = place.available.device == Device::real;
    // Each rank simulates GPUs of its own, so a single one is not shared.
    if (!fleet || place.available.gpus == 0 || (!real && visible == 1)) return std::vector<int>{};
    const auto own = own_gpu(*fleet, real ? variables_of_this_process() : Variables{}, visible);
    if (!own) return problem(own.error());
    return std::vector<int>{*own};
}

std::optional<Refusal> choose_gpus(Place& place, const std::string& gpus, bool by_itself, ChosenFor chosen_for) {
    place.chosen_by_name = !gpus.empty() || place.line.fleet;
    if (gpus == "all" || (gpus.empty() && by_itself)) return std::nullopt;
    const auto chosen = gpus.empty() ? own_gpus(place) : listed_gpus(place, gpus, chosen_for);
    if (!chosen) return Refusal{gpus.empty() ? nothing_done : usage, chosen.error().what};
    place.chosen = *chosen;
    if (!chosen->empty())  // a process sees one MIG instance, however many there are
        place.available.gpus = has_mig_instance(*chosen, place.line.gpus) ? 1 : static_cast<int>(chosen->size());
    if (gpus.empty()) return std::nullopt;
    place.where.gpus = joined(place.chosen, ",", [](int gpu) { return std::to_string(gpu); });
    return std::nullopt;
}

// Those that CUDA_VISIBLE_DEVICES allows.
void add_mig_instances(Place& place, const ProbeReport& report) {
    const auto ours = variables_of_this_process();
    const auto list = ours.find("CUDA_VISIBLE_DEVICES");
    const auto is_allowed = [&](const Gpu& gpu) {
        if (list == ours.end()) return true;
        std::istringstream names(list->second);
        for (std::string name; std::getline(names, name, ',');)
            if (name.starts_with(mig_prefix) && gpu.uuid.value_or("").starts_with(name)) return true;
        return false;
    };
    auto& gpus = place.line.gpus;
    for (auto gpu : report.mig_instances) {
        if (!is_allowed(gpu)) continue;
        gpu.index = static_cast<int>(gpus.size());
        gpus.push_back(std::move(gpu));
    }
    if (const auto count = std::ranges::count_if(gpus, is_mig_instance); count > 1)
        place.available.found = counted(count, "MIG instance");
}

// Takes no GPU that others use, and says so.
std::optional<Refusal> leave_the_used(Place& place, const ProbeReport& report) {
    auto wanted = place.chosen;
    if (wanted.empty())
        for (const auto& gpu : place.line.gpus) wanted.push_back(gpu.index);
    const auto left = unused_gpus(wanted, used_gpus(report), place.chosen_by_name);
    if (!left) return Refusal{nothing_done, left.error().what};
    if (left->size() == wanted.size()) return std::nullopt;
    place.chosen = *left;
    place.where.gpus = fmt::format("{}", fmt::join(*left, ","));
    place.available.gpus = static_cast<int>(left->size());
    place.available.found += fmt::format(", {} of them in use by other programs", wanted.size() - left->size());
    return std::nullopt;
}

void look_at_the_first(Place& place) {
    for (const auto& gpu : place.line.gpus) {
        if (gpu.index != place.first()) continue;
        place.available.gib = static_cast<double>(gpu.memory_bytes.value_or(0)) / bytes_of_gib;
        place.available.capability = gpu.compute_capability.value_or("");
    }
}

// A simulated machine with a boot or a clock of its own has sessions of its own.
Expected<RunLine> with_session(Place& place, const Simulation* machine, const std::string& load_mark) {
    auto line = place.line;
    const bool own = machine && (machine->boot || machine->clock);
    if (own && machine->clock && !(place.clock = utc_of(*machine->clock)))
        return problem("--simulate: machine.clock: '" + *machine->clock +
                       "' is not a time such as 2026-11-21T10:00:00Z");
    const auto time = place.clock.value_or(utc_now());
    place.sessions = session_folder();
    if (own && !place.sessions.empty()) place.sessions /= "simulated";
    place.boot = line.boot.value_or("");
    const auto session =
        begin_session(place.boot, own ? line.driver.kernel_module.value_or("") : load_mark, time, place.sessions);
    line.time = place.clock ? *machine->clock : utc_text(time);
    line.session = session.id;
    if (session.not_kept) line.unavailable.push_back(*session.not_kept);
    return line;
}

// What --simulate asks for, if it does.
OrExit<std::optional<Simulation>> simulation_of(const Where& where) {
    if (where.simulate.empty()) return std::nullopt;
    if (const auto why = why_no_simulation(); !why.empty()) return refuse(usage, "--simulate: " + why);
    const auto parsed = parse_simulation(where.simulate);
    if (!parsed) return refuse(usage, parsed.error().what);
    if (const auto unknown = fault_of_unknown_function(parsed->machine); !unknown.empty())
        return refuse(usage, "--simulate: " + unknown);
    return *parsed;
}

std::string which_rank(const Place& place) { return place.line.fleet ? "; " + fleet_text(*place.line.fleet) : ""; }

}  // namespace

std::string why_no_simulation() {
    const auto runtime = program_folder() / "simulator" / "simulated" / "libcudart.so.13";
    return std::filesystem::exists(runtime)
               ? ""
               : "this build has no simulated runtime: no CUDA headers or runtime were found";
}

Available available_by_simulation(const std::string& spec, const Simulation& simulation) {
    const bool divided = std::ranges::any_of(simulation.machine.gpus, [](const auto& gpu) { return gpu.mig == 1; });
    Available available{.device = Device::simulated,
                        .gpus = divided ? 1 : static_cast<int>(simulation.machine.gpus.size()),
                        .simulation = spec,
                        .planned_as_real = simulation.planned_as_real};
    available.gib = static_cast<double>(simulation.machine.gpus.front().memory_bytes) / bytes_of_gib;
    available.found = fmt::format("{} ({})",
                                  counted(static_cast<std::int64_t>(simulation.machine.gpus.size()),
                                          divided ? "simulated MIG instance" : "simulated GPU"),
                                  spec);
    return available;
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

std::optional<std::string> among(const Usable& usable, const std::optional<std::string>& wanted) {
    if (usable.uuids.empty()) return wanted;
    if (!wanted) return usable.all ? wanted : fmt::format("{}", fmt::join(usable.uuids, ","));
    std::istringstream list(*wanted);
    std::vector<std::string> names;
    for (std::string name; std::getline(list, name, ',');) {
        const auto number = whole_number<std::size_t>(name);
        if (name.starts_with("GPU-")) name = usable.uuids.front();
        else if (!usable.all && number) name = *number < usable.uuids.size() ? usable.uuids[*number] : "-1";
        names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ","));
}

bool has_mig_instance(const std::vector<int>& chosen, const std::vector<Gpu>& gpus) {
    return std::ranges::any_of(chosen,
                               [&](int gpu) { return is_mig_instance(gpus.at(static_cast<std::size_t>(gpu))); });
}

Expected<std::vector<int>> unused_gpus(const std::vector<int>& wanted, const std::vector<int>& used, bool named) {
    std::vector<int> left;
    std::vector<int> taken;
    for (const int gpu : wanted) (std::ranges::find(used, gpu) == used.end() ? left : taken).push_back(gpu);
    if (taken.empty() || (!named && !left.empty())) return left;
    return problem(
        fmt::format("other programs use GPU{} {}, and some scenarios fill a GPU's memory; --shared runs them "
                    "there all the same, --simulate {} on simulated GPUs",
                    taken.size() == 1 ? "" : "s", fmt::join(taken, ", "), default_simulation));
}

Usable Place::usable() const {
    const bool real = available.device == Device::real;
    if (!real && !available.planned_as_real) return {};
    const bool listed = real && variables_of_this_process().contains("CUDA_VISIBLE_DEVICES");
    Usable usable{.all = !listed && !visible(chosen)};
    for (const auto& gpu : line.gpus) {
        if (!chosen.empty() && std::ranges::find(chosen, gpu.index) == chosen.end()) continue;
        if (!gpu.uuid) return {};  // a driver that does not tell them is left alone
        usable.uuids.push_back(*gpu.uuid);
    }
    return usable;
}

std::optional<std::string> Place::visible(const std::vector<int>& gpus) const {
    if (gpus.size() == 1 && static_cast<std::size_t>(gpus[0]) < line.gpus.size())
        if (const auto& uuid = line.gpus[static_cast<std::size_t>(gpus[0])].uuid; uuid && uuid->starts_with(mig_prefix))
            return uuid;
    const auto ours = variables_of_this_process();
    const auto list = ours.find("CUDA_VISIBLE_DEVICES");
    const bool listed = available.device == Device::real && list != ours.end();
    return visible_gpus(gpus, static_cast<int>(line.gpus.size()), listed ? std::optional(list->second) : std::nullopt);
}

OrExit<Place> place_of(const Where& where, WithoutGpu otherwise, const Catalogue& catalogue, bool quiet, UsedGpus used,
                       ChosenFor chosen) {
    auto simulation = simulation_of(where);
    if (!simulation) return tl::unexpected(simulation.error());
    Place place{.where = where};
    auto& line = place.line;
    line.run = random_uuid();
    line.suite = this_suite(line.unavailable);
    const auto facts = read_facts();
    add_facts(line, facts);
    line.fleet = this_rank();
    const auto probed = ask_the_driver(used == UsedGpus::leave && where.simulate.empty(), quiet);
    place.available = available_of(probed);
    const bool by_itself = where.simulate.empty() && !where.real && otherwise == WithoutGpu::simulate &&
                           place.available.device != Device::real && why_no_simulation().empty();
    if (by_itself) *simulation = *parse_simulation(place.where.simulate = default_simulation);
    if (*simulation) {
        place.found_real = place.available.found;
        place.available = available_by_simulation(place.where.simulate, **simulation);
        add_simulation(line, **simulation);
        if (by_itself) line.unavailable.push_back({"real_gpus", place.found_real});
    } else {
        add_probe(line, probed.report, probed.how_it_ended);
        place.where.real = place.where.real || place.available.device == Device::real;
        if (chosen != ChosenFor::one_process) add_mig_instances(place, probed.report);
    }
    line.device = place.available.device;
    add_cuda(line, catalogue);
    add_libtorch(line, catalogue);
    if (const auto refused = choose_gpus(place, where.gpus, by_itself, chosen)) return tl::unexpected(*refused);
    if (place.available.device == Device::real && used == UsedGpus::leave)
        if (const auto refused = leave_the_used(place, probed.report)) return tl::unexpected(*refused);
    look_at_the_first(place);
    auto complete = with_session(place, *simulation ? &**simulation : nullptr, facts.load_mark);
    if (!complete) return refuse(usage, complete.error().what);
    place.line = std::move(*complete);
    return place;
}

void leave(const Place& place) { end_session(place.boot, place.clock.value_or(utc_now()), place.sessions); }

std::string where_it_runs(const Place& place) {
    const auto& available = place.available;
    if (available.device == Device::simulated)
        return wrap("SIMULATED: " + available.found + "; real: " + place.found_real + which_rank(place), 0, 2);
    if (available.device == Device::real)
        return "on " + available.found + ": " + place.line.gpus.front().name.value_or("a GPU") + which_rank(place);
    return wrap("no GPU (found " + available.found + "): what needs one is skipped" + which_rank(place), 0, 2);
}

std::string where_it_is_measured(const Place& place) {
    if (place.available.device != Device::real) return where_it_runs(place);
    const auto processes_on = [&](int index) { return std::ranges::count(place.chosen, index); };
    std::string text;
    for (const auto& gpu : place.line.gpus) {
        const auto processes = processes_on(gpu.index);
        if (processes == 0) continue;
        text += fmt::format("{}GPU {}: {}", text.empty() ? "on " : "; ", gpu.index, gpu.name.value_or("unknown model"));
        // CUDA may count GPUs in another order than nvidia-smi.
        if (place.line.gpus.size() > 1 && gpu.uuid) text += fmt::format(" ({})", gpu.uuid->substr(0, shown_of_uuid));
        if (processes > 1) text += fmt::format(", {} processes", processes);
    }
    return wrap(text + "; driver " + place.line.driver.kernel_module.value_or("unknown") + which_rank(place), 0, 2);
}

}  // namespace tocuda
