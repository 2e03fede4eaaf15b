// tocuda, Apache-2.0.
#include "command/bench_place.hpp"

#include <fmt/core.h>

#include <numeric>

#include "command/bench_units.hpp"
#include "command/complaint.hpp"
#include "command/paper.hpp"

namespace tocuda {

int complain_of_bench(int code, const std::string& what) { return complain(code, "tocuda bench: " + what); }

std::optional<int> choose_place(RunFacts& facts, const BenchOptions& options, const std::vector<Sweep>& sweeps) {
    const auto gpus = options.gpus == "all" ? "" : options.gpus;
    if (const auto wrong = choose_gpus(facts, options.simulate, options.simulate.empty(), gpus); !wrong.empty())
        return complain_of_bench(usage, wrong);
    if (facts.available.device == Device::none && needs_a_gpu(sweeps))
        return complain_of_bench(
            nothing_done,
            fmt::format("no GPU to measure (found {}): make a driver and a GPU available that CUDA can use, "
                        "or simulate GPUs with `tocuda bench --simulate 1xH200`",
                        facts.available.found));
    if (options.gpus == "all") {
        facts.chosen.resize(facts.line.gpus.size());
        std::iota(facts.chosen.begin(), facts.chosen.end(), 0);
    }
    if (options.together && facts.chosen.size() < 2)
        return complain_of_bench(nothing_done,
                                 fmt::format("--together needs two GPUs or more; found {}", facts.chosen.size()));
    if (!options.gpus.empty()) return std::nullopt;
    if (const auto why = take_own_gpu(facts); !why.empty()) return complain_of_bench(nothing_done, why);
    if (facts.chosen.empty() && facts.available.gpus > 0) facts.chosen = {0};
    return std::nullopt;
}

std::string where_it_is_measured(const RunFacts& facts) {
    if (facts.available.device != Device::real) return where_it_runs(facts);
    std::string text;
    for (const int index : facts.chosen)
        for (const auto& gpu : facts.line.gpus)
            if (gpu.index == index)
                text += (text.empty() ? "on GPU " : "; GPU ") + std::to_string(index) + ": " +
                        gpu.name.value_or("unknown model");
    return wrap(text + "; driver " + facts.line.driver.kernel_module.value_or("unknown") + which_rank(facts), 0, 2);
}

bool chosen_by_name(const RunFacts& facts, const BenchOptions& options) {
    return !options.gpus.empty() || facts.line.fleet;
}

}  // namespace tocuda
