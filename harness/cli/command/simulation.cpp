// tocuda, Apache-2.0.
// `tocuda __simulation SPEC`, for developers: prints a simulated machine in the form that the simulator loads, or the
// fields of a profile.
#include <fmt/core.h>

#include <limits>

#include "command/verb.hpp"
#include "engine/temporary_folder.hpp"
#include "simulator/schema/compiled.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

void print_fields() {
    constexpr const char* row = "{:35}{:>16}  {:>16} to {:<20}{:>13}  {}\n";
    const GpuFigures figures;
    const GpuConditions conditions;
    const GpuVariations variations;
    fmt::print(row, "figures", "unit", "at least", "at most", "default", "what it is");
    for (const auto& figure : gpu_figures) {
        const auto most = figure.most == no_limit ? "any" : std::to_string(figure.most);
        fmt::print(row, figure.name, figure.unit, figure.least, most, figures.*figure.member, figure.what);
    }
    fmt::print("\n");
    fmt::print(row, "besides the figures", "", "at least", "at most", "default", "what it is");
    for (const auto& condition : gpu_conditions)
        fmt::print(row, condition.name, condition.unit, condition.least, condition.most, conditions.*condition.member,
                   condition.what);
    for (const auto& variation : gpu_variations)
        fmt::print(row, variation.name, "", variation.least, variation.most, variations.*variation.member,
                   variation.what);
    fmt::print("\ntelemetry: \"MOMENT FIELD VALUE\", where FIELD is one of\n");
    for (const auto& field : telemetry_fields) fmt::print("  {}\n", field.name);
}

}  // namespace

int simulation_verb(const Words& words) {
    Arguments arguments(
        "__simulation", "Print a simulated machine in the form that the simulator loads.",
        {"2x1GiB > two.simulation", "1xmine.json --fault 'cudaMalloc 3 2 sticky' > failing.simulation"});
    std::string spec;
    std::vector<std::string> faults;
    int seed = 1;
    bool fields = false;
    arguments.option("SPEC", spec, "4x1GiB; 1x1GiB,1x4GiB; 2xH200; 1xmy_gpu.json", "");
    arguments.option("--fault", faults,
                     "FUNCTION CALL ERROR|hang|wrong [sticky], or peer FROM TO lost|mirrored|stalled|uncopied");
    arguments.option("--seed", seed, 0, std::numeric_limits<int>::max(), "seed of the variation of costs", "N");
    arguments.flag("--fields", fields, "list the fields of a profile, with limits and defaults");
    if (const auto code = arguments.parse(words)) return *code;
    if (fields) {
        print_fields();
        return as_expected;
    }
    if (spec.empty()) return arguments.refuse("SPEC is missing; try 2x1GiB");
    const auto machine = machine_of(spec, faults, static_cast<std::uint64_t>(seed));
    if (!machine) return arguments.refuse(machine.error().what);
    fmt::print("{}", compiled(*machine));
    return as_expected;
}

}  // namespace tocuda
