// tocuda, Apache-2.0.
// Registers the one benchmark, runs it once and prints nothing.
#include "measurement/iterations.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace tocuda {
namespace {

class Silence final : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
};

// Google Benchmark reads its flags from the environment before main; this resets them to their defaults.
void forget_environment() {
    std::vector<std::string> words{"",
                                   "--benchmark_filter=.*",
                                   "--benchmark_list_tests=false",
                                   "--benchmark_repetitions=1",
                                   "--benchmark_min_warmup_time=0",
                                   "--benchmark_out=",
                                   "--benchmark_enable_random_interleaving=false",
                                   "--benchmark_perf_counters=",
                                   "--benchmark_dry_run=false"};
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    auto count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
}

}  // namespace

void iterate(const std::string& name, std::int64_t count, const std::function<double()>& body) {
    static const bool forgotten = (forget_environment(), true);
    static_cast<void>(forgotten);
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&](benchmark::State& state) {
                                     for ([[maybe_unused]] auto each : state) state.SetIterationTime(body());
                                 })
        ->Iterations(count)
        ->Repetitions(1)
        ->UseManualTime();
    Silence silence;
    benchmark::RunSpecifiedBenchmarks(&silence, nullptr, ".*");
    benchmark::ClearRegisteredBenchmarks();
}

}  // namespace tocuda
