// tocuda, Apache-2.0.
// `tocuda simulate`: runs a command on simulated GPUs that compute.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <ranges>

#include "command/verb.hpp"
#include "engine/engine.hpp"
#include "engine/temporary_folder.hpp"
#include "json_lines/documents.hpp"
#include "simulated/fit_program.hpp"
#include "simulated/simulated_run.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

struct Simulating {
    std::string spec{};
    std::vector<std::string> faults{};
    std::string poison = "nan";
    std::string output{};
    std::string record{};
    int driver = 0;
    int seed = 1;
    std::string compile = "eager";
    bool no_compute = false;
    bool strict = false;
    bool json = false;
    Words command{};
};

Expected<SimulatedMachine> machine_for(const Simulating& asked) {
    auto machine = machine_of(asked.spec, asked.faults, static_cast<std::uint64_t>(asked.seed));
    if (machine && asked.driver > 0) machine->driver_version = asked.driver;
    return machine;
}

void print_summary(const SimulationCounts& counts, bool computes) {
    const auto amount = [](std::uint64_t bytes) { return rounded_amount(static_cast<double>(bytes)); };
    for (std::size_t i = 0; i < counts.gpus.size(); ++i)
        complain(fmt::format("tocuda: simulated GPU {}: peak {} allocated by LibTorch, {} of the device", i,
                             amount(counts.gpus[i].peak_allocated_bytes), amount(counts.gpus[i].peak_reserved_bytes)));
    complain(fmt::format("tocuda: copied: {} to GPUs, {} from GPUs, {} within them, {} between them",
                         amount(counts.host_to_device_bytes), amount(counts.device_to_host_bytes),
                         amount(counts.device_to_device_bytes), amount(counts.peer_bytes)));
    std::uint64_t not_computed = 0;
    for (const auto& [what, count] : counts.not_computed) not_computed += count;
    std::string perhaps;
    if (counts.read_back_not_known > 0)
        perhaps = fmt::format(", that may depend on one: {}", counts.read_back_not_known);
    complain(fmt::format("tocuda: operators: {} computed, {} not; values read back that were not computed: {}{}",
                         counts.computed, not_computed, counts.read_back_not_computed, perhaps));
    if (counts.compiled > 0)
        complain(fmt::format("tocuda: torch.compile: {} ran operator by operator, not through Inductor",
                             counted(counts.compiled, "graph")));
    for (const auto& [what, count] : counts.not_computed) {
        if (!computes) break;  // that was asked for
        complain(fmt::format("tocuda: not computed: {} ({}){}", what.first, count,
                             what.second.empty() ? "" : " at " + what.second));
    }
    for (const auto& name : counts.unsupported) complain("tocuda: not simulated: " + name);
}

// A test that waits for a fault that never happened would pass for the wrong reason; one that happened may have been
// dealt with.
void say_which_faults_happened(const Simulating& asked, const SimulatedMachine& machine,
                               const SimulationCounts& counts) {
    const auto of_profiles = machine.faults.size() - asked.faults.size();
    for (std::size_t i = 0; i < asked.faults.size() && of_profiles + i < counts.faults.size(); ++i) {
        const auto happened = counts.faults[of_profiles + i];
        const auto times = fmt::format("happened {}", happened == 1 ? "once" : fmt::format("{} times", happened));
        complain(fmt::format("tocuda: the fault '{}' {}", asked.faults[i], happened == 0 ? "never happened" : times));
    }
}

bool can_compute() {
    std::error_code ignored;
    return std::ranges::any_of(
        filesystem::directory_iterator(program_folder() / "simulator" / "simulated", ignored),
        [](const auto& file) { return file.path().filename().string().starts_with("libtocuda_computing-"); });
}

void print_banner(const Simulating& asked) {
    const auto* what = "values are computed on the CPU";
    if (asked.no_compute) what = "nothing is computed";
    else if (!can_compute()) what = "nothing is computed, because tocuda was built without LibTorch";
    complain(fmt::format("tocuda: SIMULATED GPUs: {}; {}; times say nothing about a GPU", asked.spec, what));
}

// The file must not exist when the program starts: its first process makes it, others beside it.
std::string why_not_recorded(const std::string& name) {
    if (name.empty()) return "";
    if (!std::ofstream(name)) return name + ": cannot be written";
    filesystem::remove(name);
    return "";
}

int simulate(const Simulating& asked) {
    const TemporaryFolder folder;
    const auto machine = machine_for(asked);
    if (!machine) return complain(Refusal{usage, machine.error().what});
    if (!can_simulate()) return complain(Refusal{nothing_done, "this build has no simulated GPUs"});
    if (asked.json && !std::ofstream(asked.output, std::ios::app))
        return complain(Refusal{usage, asked.output + ": cannot be written"});
    if (auto why = why_not_recorded(asked.record); !why.empty()) return complain(Refusal{usage, std::move(why)});
    print_banner(asked);
    say_what_is_visible();
    const auto record = asked.record.empty() ? "" : std::filesystem::absolute(asked.record).string();
    const auto ended = run_simulated(folder.path(), *machine,
                                     {.command = asked.command,
                                      .computes = !asked.no_compute,
                                      .changes = {{"TOCUDA_POISON", asked.poison}, {"TOCUDA_COMPILE", asked.compile}},
                                      .record = record});
    if (!ended) return complain(ended.error());
    stdout_is_not_ours();
    const auto& counted = ended->counts;
    if (ended->signal != 0) complain("tocuda: the program " + ended_words(ended->code));
    say_which_faults_happened(asked, *machine, counted);
    say_what_was_recorded("tocuda: ", asked.record);
    const bool may_refuse = asked.driver > 0 || !asked.faults.empty();
    if (const auto why = why_it_used_no_gpu(ended->code, counted); ended->signal == 0 && !may_refuse && !why.empty())
        complain("tocuda: " + why);
    if (!asked.json) print_summary(counted, !asked.no_compute);
    else if (!(std::ofstream(asked.output) << simulate_document(counted) << std::endl))
        complain("tocuda: " + asked.output + ": the summary could not be written");
    const bool is_as_on_a_gpu = counted.compiled == 0 && counted.not_computed.empty() &&
                                counted.read_back_not_known == 0 && counted.unsupported.empty();
    return asked.strict && ended->code == as_expected && !is_as_on_a_gpu ? undecided : ended->code;
}

}  // namespace

int simulate_verb(const Words& words) {
    Arguments arguments("simulate", "Run a program on simulated GPUs that compute: SPEC -- COMMAND. Needs no GPU.",
                        {"2xH200 -- python train.py", "1x8GiB --fault 'cudaMalloc 3 2' -- pytest tests"});
    arguments.exits(
        "the command's own, 128 + N after signal N; 2 or 4 it never started; 3 not all computed (--strict)");
    Simulating asked;
    arguments.option("SPEC", asked.spec, "2xH200; 4x1GiB; 1x1GiB,1x4GiB; 1xmine.json", "");
    arguments.option("--fault", asked.faults, "FUNCTION CALL ERROR|hang|wrong or peer FROM TO HOW");
    arguments.option("--driver", asked.driver, 1000, 99999, "the driver's version, as 12080 for 12.8", "N");
    arguments.option("--seed", asked.seed, 0, std::numeric_limits<int>::max(),
                     "seed of the noise of simulated costs, not of values", "N");
    arguments.flag("--no-compute", asked.no_compute, "simulate only memory, copies and errors");
    arguments.option("--poison", asked.poison, "nan: what was not computed is NaN (default); none", "nan|none");
    arguments.option("--compile", asked.compile, "run what is compiled eagerly, or refuse it", "eager|refuse");
    arguments.flag("--strict", asked.strict, "exit code 3 if not all was computed as on a GPU");
    arguments.option("--record", asked.record, "record the memory that LibTorch takes, for tocuda replay", "FILE");
    arguments.flag("--json", asked.json, "write the summary to --output as one document");
    arguments.option("--output", asked.output, "the file for --json", "FILE");
    const auto end = std::find(words.begin(), words.end(), "--");
    // Options of the command would be taken for unknown ones.
    const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
    if (end == words.end() && words.size() > 1 && std::none_of(words.begin(), words.begin() + 2, is_option))
        return arguments.refuse("'--' is missing before the command; try tocuda simulate 2x8GiB -- python train.py");
    if (const auto code = arguments.parse({words.begin(), end})) return *code;
    if (end != words.end()) asked.command.assign(end + 1, words.end());
    if (asked.spec.empty()) return arguments.refuse("SPEC is missing; try 2x8GiB");
    if (asked.command.empty()) return arguments.refuse("the command is missing; try -- python train.py");
    if (asked.poison != "nan" && asked.poison != "none") return arguments.refuse("--poison is nan or none");
    if (asked.compile != "eager" && asked.compile != "refuse") return arguments.refuse("--compile is eager or refuse");
    if (asked.strict && asked.no_compute) return arguments.refuse("--strict cannot be combined with --no-compute");
    if (asked.json == asked.output.empty()) return arguments.refuse("--json and --output FILE need each other");
    return simulate(asked);
}

}  // namespace tocuda
