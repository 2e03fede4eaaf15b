// tocuda, Apache-2.0.
// Place: the machine that a run uses, real or simulated. Decided once, before the plan is made.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/plan.hpp"
#include "model/profile.hpp"
#include "request/catalogue.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// The available GPUs, real or simulated.
struct Available {
    Device device = Device::none;
    int gpus = 0;
    double gib = 0;                // of the first one, which scenarios use unless they name another
    std::string found = "no GPU";  // for people: "1 GPU", "no driver: libcuda.so.1 ..."
    std::string simulation{};      // their SPEC, if they are simulated
    std::string capability{};      // of the first one: "9.0"; empty: unknown
    bool planned_as_real = false;  // simulated, but a plan treats them as it would real ones
};

inline constexpr const char* default_simulation = "2x8GiB";

// Returns why this build cannot simulate; empty if it can.
std::string why_no_simulation();

Available available_by_simulation(const std::string& spec, const Simulation& simulation);

// The real GPUs that a run may use, as CUDA_VISIBLE_DEVICES names them whatever the order of GPUs.
struct Usable {
    std::vector<std::string> uuids{};
    bool all = true;  // nothing restricts which of the machine's GPUs are seen
};

struct Place {
    RunLine line{};  // the fields that describe the machine
    Where where{};   // what leads to the same place again
    Available available{};
    std::string found_real{};     // if GPUs are simulated: what the probe of the real ones found
    std::vector<int> chosen{};    // by --gpus or a launcher; empty if neither chose
    bool chosen_by_name = false;  // --gpus or a launcher decides which GPUs are used

    // Which GPU a scenario uses that does not name another.
    int first() const { return chosen.empty() ? 0 : chosen.front(); }

    Usable usable() const;

    // CUDA_VISIBLE_DEVICES for a child that sees only these GPUs (all if empty); nullopt if it need not change.
    std::optional<std::string> visible(const std::vector<int>& gpus) const;

    std::filesystem::path sessions{};  // where this run's session is stored
    std::string boot{};
    std::optional<std::chrono::sys_seconds> clock{};  // the fixed clock of a simulated machine
};

enum class WithoutGpu { simulate, use_none };
enum class UsedGpus { take, leave };  // GPUs in which other programs compute
// What --gpus chooses for: one process; one for each GPU or MIG instance; or several, also on one GPU.
enum class ChosenFor { one_process, one_each, several };

// Finds out what this machine is and decides where a run takes place. Begins its session.
OrExit<Place> place_of(const Where& where, WithoutGpu otherwise, const Catalogue& catalogue, bool quiet,
                       UsedGpus used = UsedGpus::take, ChosenFor chosen = ChosenFor::one_process);

bool has_mig_instance(const std::vector<int>& chosen, const std::vector<Gpu>& gpus);

// Ends the session. Call once, in the process that began it.
void leave(const Place& place);

// The first line of the output: where everything runs, or which GPUs are measured.
std::string where_it_runs(const Place& place);
std::string where_it_is_measured(const Place& place);

// The value of CUDA_VISIBLE_DEVICES that shows only `gpus`; `all` is how many this process sees and `ours` its own
// value of the variable. nullopt if the variable need not change.
std::optional<std::string> visible_gpus(const std::vector<int>& gpus, int all, const std::optional<std::string>& ours);

// The value of CUDA_VISIBLE_DEVICES that a variant wants, as if the GPUs that it may use were all that there are. A
// UUID stands for that of the first.
std::optional<std::string> among(const Usable& usable, const std::optional<std::string>& wanted);

// The GPUs that a run may use: those of `wanted` that are not in `used`. Refuses if none is left, or if one that was
// named is used.
Expected<std::vector<int>> unused_gpus(const std::vector<int>& wanted, const std::vector<int>& used, bool named);

}  // namespace tocuda
