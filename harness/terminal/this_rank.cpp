// tocuda, Apache-2.0.
#include "terminal/this_rank.hpp"

#include <unistd.h>

#include <array>

#include "process/clean_environment.hpp"

namespace tocuda {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without a name";
}

}  // namespace

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
