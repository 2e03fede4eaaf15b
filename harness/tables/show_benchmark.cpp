// tocuda, Apache-2.0.
#include "tables/show_benchmark.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "summary/row_summary.hpp"
#include "tables/bench_table.hpp"
#include "tables/last_seen.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

std::string list_of(const std::string& parameter, const Values& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + value_text(parameter, value);
    return text.empty() ? "not measured" : text;
}

std::string sweep_of(const Benchmark& benchmark, const std::string& parameter, const Values& values) {
    auto text = list_of(parameter, values);
    if (const auto quick = benchmark.quick.find(parameter); quick != benchmark.quick.end())
        text += "; --quick: " + list_of(parameter, quick->second);
    if (const auto full = benchmark.full.find(parameter); full != benchmark.full.end())
        text += "; --full: " + list_of(parameter, full->second);
    return text + (benchmark.alternates == parameter ? "; alternating within one process" : "");
}

const char* how_timed(Clock clock) {
    return clock == Clock::device
               ? "device clock: a batch is queued behind a gate and timed by two events on its stream"
               : "host clock: from the call until everything it started has finished";
}

void print_parameters(const Benchmark& benchmark, const Paper& paper) {
    constexpr std::size_t text_column = 16;
    if (!benchmark.parameters.empty()) fmt::print("\nparameters\n");
    for (const auto& [name, values] : benchmark.parameters) {
        const bool fits = name.size() + 4 <= text_column;
        fmt::print("  {}{}", paper.strong(fits ? pad(name, text_column - 2) : name),
                   fits ? "" : "\n" + std::string(text_column, ' '));
        fmt::print("{}\n", wrap(sweep_of(benchmark, name, values), text_column, text_column, paper.columns()));
    }
}

}  // namespace

void print_benchmark(const ListedBenchmark& listed, const std::filesystem::path& results, const Paper& paper) {
    const auto& benchmark = listed.benchmark;
    fmt::print("{}: {}\n", paper.strong(benchmark.name),
               wrap(benchmark.summary, benchmark.name.size() + 2, 4, paper.columns()));
    fmt::print("runs here: {}\n\n", wrap(listed.runnable + ", " + listed.because, 11, 4, paper.columns()));
    fmt::print("{}\n",
               wrap(std::string(how_timed(benchmark.clock)) +
                        ". The result is checked before the first sample and after the last. Each replicate is a fresh "
                        "process that measures all parameter sets in its own order; the interval is that of the "
                        "process medians.",
                    0, 0, paper.columns()));
    print_parameters(benchmark, paper);
    const auto last = last_measured(results, benchmark.name);
    if (last.rows.empty()) {
        fmt::print("\nnot measured here yet\n");
        return;
    }
    const bool simulated =
        std::ranges::any_of(last.rows, [](const RowSummary& row) { return row.device == Device::simulated; });
    fmt::print("\nlast measured{}, {}\n{}", simulated ? " on " + paper.strong("SIMULATED") + " GPUs" : "",
               last.file.filename().string(), bench_table(measured_run(last.rows), paper));
}

}  // namespace tocuda
