// tocuda, Apache-2.0.
#include "request/characterise.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "request/selection.hpp"

namespace tocuda {
namespace {

// `part` is the values of its parameters as `tocuda bench` accepts them.
Expected<Wanted> wanted_of(const std::string& benchmark, const std::string& part) {
    Wanted wanted{.patterns = {benchmark}};
    std::istringstream words(part);
    for (std::string word; words >> word;) {
        const auto choice = parameter_choice(word);
        if (!choice) return tl::unexpected(choice.error());
        wanted.choices.push_back(*choice);
    }
    return wanted;
}

// One sweep holds all sets of a benchmark, because one process measures them.
void add(Sweep sweep, std::vector<Sweep>& sweeps) {
    const auto same =
        std::ranges::find_if(sweeps, [&](const Sweep& one) { return one.benchmark.name == sweep.benchmark.name; });
    if (same == sweeps.end()) sweeps.push_back(std::move(sweep));
    else std::ranges::move(sweep.sets, std::back_inserter(same->sets));
}

}  // namespace

Expected<Sweeps> sweeps_that_characterise(const Catalogue& catalogue) {
    Sweeps all;
    for (const auto& [worker, benchmark] : select_benchmarks(catalogue, {}))
        for (const auto& part : benchmark->role.characterise) {
            const auto wanted = wanted_of(benchmark->name, part);
            if (!wanted) return tl::unexpected(wanted.error());
            auto found = sweeps_of(catalogue, *wanted);
            if (!found) return found;
            for (auto& sweep : found->sweeps) add(std::move(sweep), all.sweeps);
        }
    std::ranges::sort(all.sweeps, {}, [](const Sweep& sweep) { return sweep.benchmark.name; });
    return all;
}

}  // namespace tocuda
