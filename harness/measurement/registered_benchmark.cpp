// tocuda, Apache-2.0.
// The registry of benchmarks, filled before main.
#include "measurement/registered_benchmark.hpp"

#include <algorithm>

#include "measurement/parameter.hpp"

namespace tocuda {
namespace {

std::vector<Measurable>& all() {
    static std::vector<Measurable> measurables;
    return measurables;
}

}  // namespace

RegisteredBenchmark::RegisteredBenchmark(Measurable measurable) { all().push_back(std::move(measurable)); }

std::vector<Measurable> registered_benchmarks() {
    auto sorted = all();
    std::sort(sorted.begin(), sorted.end(), [](const Measurable& left, const Measurable& right) {
        return left.benchmark.name < right.benchmark.name;
    });
    return sorted;
}

std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits) {
    std::size_t most = 0;
    for (const auto& set : sets)
        if (fits(set)) most = std::max(most, bytes_of(set));
    return most;
}

}  // namespace tocuda
