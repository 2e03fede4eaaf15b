// tocuda, Apache-2.0.
#include "terminal/this_rank.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "model/words.hpp"
#include "process/clean_environment.hpp"

namespace tocuda {
namespace {

// A launcher's variables for the rank, the number of ranks and the rank within the node.
struct Names {
    const char* launcher;
    const char* rank;
    const char* size;
    const char* local_rank;
};

// Launchers that start others come last. Hydra and Slurm's PMI both set PMI_RANK; only hydra sets MPI_LOCALRANKID.
constexpr std::array launchers{
    Names{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    Names{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    Names{"hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    Names{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"},
};

const std::string* said(const Variables& environment, const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() || found->second.empty() ? nullptr : &found->second;
}

std::optional<int> number(const Variables& environment, const char* name) {
    const auto* text = said(environment, name);
    const auto value = text ? whole_number<int>(*text) : std::nullopt;
    return value && *value >= 0 ? value : std::nullopt;
}

// Slurm gives the highest step ids to steps that srun did not start (batch script, interactive shell, outer container).
bool in_a_step(const Variables& environment) {
    constexpr std::int64_t first_special = 0xfffffff0;
    const auto* step = said(environment, "SLURM_STEP_ID");
    const auto id = step ? whole_number(*step) : std::nullopt;
    return id && *id < first_special;
}

std::string node_of(const Variables& environment, const std::string& host) {
    if (const auto* node = said(environment, "SLURMD_NODENAME")) return *node;
    return host;
}

std::optional<Fleet> place_by(const Names& names, const Variables& environment, const std::string& host) {
    const auto rank = number(environment, names.rank);
    const auto size = number(environment, names.size);
    const auto local_rank = number(environment, names.local_rank);
    if (!rank || !size || !local_rank || *rank >= *size || *local_rank >= *size) return std::nullopt;
    return Fleet{names.launcher, *rank, *size, *local_rank, node_of(environment, host)};
}

bool bound_to_each_rank(const Variables& environment) {
    if (said(environment, "SLURM_GPUS_PER_TASK")) return true;
    for (const auto* name : {"SLURMD_TRES_BIND", "SLURM_TRES_BIND"}) {
        const auto* bound = said(environment, name);
        if (bound && (bound->find("per_task") != std::string::npos || bound->find("single") != std::string::npos))
            return true;
    }
    const auto* visible = said(environment, "CUDA_VISIBLE_DEVICES");
    return visible && visible->find(',') == std::string::npos;
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without a name";
}

}  // namespace

std::optional<Fleet> fleet_place(const Variables& environment, const std::string& host) {
    for (const auto& names : launchers) {
        if (names.launcher == std::string_view("srun") && !in_a_step(environment)) continue;
        if (auto place = place_by(names, environment, host)) return place;
    }
    return std::nullopt;
}

Expected<int> own_gpu(const Fleet& fleet, const Variables& environment, int visible) {
    if (visible > 0 && bound_to_each_rank(environment)) return 0;
    if (fleet.local_rank < visible) return fleet.local_rank;
    return problem(
        fmt::format("{}: no GPU is left for this rank: {}{} visible; start at most one rank per GPU on each node, or "
                    "choose a GPU with --gpus",
                    fleet_text(fleet), visible, visible == 1 ? " is" : " are"));
}

std::string fleet_text(const Fleet& fleet) {
    return fmt::format("rank {} of {} ({}), local rank {} on {}", fleet.rank, fleet.size, fleet.launcher,
                       fleet.local_rank, fleet.node);
}

Variables variables_of_this_process() {
    Variables variables;
    for (const auto& [name, value] : environment_of_this_process())
        if (value) variables[name] = *value;
    return variables;
}

std::optional<Fleet> this_rank() { return fleet_place(variables_of_this_process(), host_name()); }

bool speaks() {
    const auto rank = this_rank();
    return !rank || rank->rank == 0;
}

}  // namespace tocuda
