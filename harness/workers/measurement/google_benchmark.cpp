// tocuda, Apache-2.0.
// Registers every parameter set with Google Benchmark, which then decides what runs and for how long. One iteration is
// one operation; the operations of a batch are timed together, as for `tocuda bench`.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string_view>

#include "measurement/answer.hpp"
#include "measurement/first_line.hpp"
#include "measurement/host_time.hpp"
#include "measurement/instruments.hpp"
#include "measurement/parameter.hpp"
#include "measurement/sampling.hpp"
#include "model/benchmark.hpp"
#include "model/parameter_values.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

std::string name_of(const Benchmark& benchmark, const Parameters& set) {
    auto name = benchmark.name;
    for (const auto& [key, value] : set) name += "/" + key + ":" + plain(value);
    return name;
}

// Returns every combination of the values of a default and a full measurement.
std::vector<Parameters> sets_of(const Benchmark& benchmark) {
    std::vector<Parameters> sets{{}};
    for (const auto& [key, defaults] : benchmark.parameters) {
        auto values = defaults;
        if (const auto full = benchmark.full.find(key); full != benchmark.full.end())
            for (const auto& value : full->second)
                if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
        std::vector<Parameters> longer;
        for (const auto& set : sets)
            for (const auto& value : values) {
                longer.push_back(set);
                longer.back()[key] = value;
            }
        sets = std::move(longer);
    }
    return sets;
}

// Holds the memory and the trial of one parameter set at a time: Google Benchmark calls a function several times, with
// more and more iterations.
class Runner {
public:
    explicit Runner(TakeInstruments take_instruments) : take(std::move(take_instruments)) {}

    void run(benchmark::State& state, const Measurable& measurable, const Parameters& set) {
        try {
            auto why = prepare(measurable, set);
            if (why.empty()) why = timed(state, measurable.benchmark);
            if (!why.empty()) state.SkipWithError(why.c_str());
        } catch (const std::exception& error) {
            prepared = nullptr;
            state.SkipWithError(first_line(error).c_str());
        }
    }

private:
    std::string prepare(const Measurable& measurable, const Parameters& set) {
        const bool by_host = !measurable.uses_gpu_itself();
        if (!by_host && !took_instruments()) return why_no_gpu;
        instruments = by_host ? of_host.get() : of_gpu.get();
        if (prepared == &measurable && member.samples.parameters == set) return "";
        prepared = nullptr;
        member = {.samples = {.parameters = set}};
        bench = nullptr;  // its memory may be needed
        bench = measurable.set_up({set});
        if (auto why = bench->why_skipped(set); !why.empty()) return "skipped: " + why;
        member.trial = bench->trial(set);
        if (auto wrong = what_differs("before"); !wrong.empty()) return wrong;
        instruments->move_bytes(false);
        member.samples.flags = member.trial.flags;
        settle(measurable.benchmark.clock, member, *instruments);
        instruments->move_bytes(true);
        prepared = &measurable;
        return "";
    }

    bool took_instruments() {
        if (of_gpu || !why_no_gpu.empty()) return of_gpu != nullptr;
        try {
            of_gpu = take();
        } catch (const std::exception& error) {
            why_no_gpu = first_line(error);
            std::cerr << "No GPU can be measured, so every benchmark of one is skipped: " << why_no_gpu << "\n";
        }
        return why_no_gpu.empty();
    }

    std::string timed(benchmark::State& state, const Benchmark& benchmark) {
        const auto batch = member.samples.batch;
        instruments->move_bytes(false);
        while (state.KeepRunningBatch(batch))
            state.SetIterationTime(sample(benchmark.clock, member, *instruments) * static_cast<double>(batch));
        instruments->move_bytes(true);
        const auto counted = counted_by(member.trial.peak, benchmark.role, !member.trial.peer.empty());
        const auto bytes = counted == Counted::touched ? member.trial.bytes_touched : member.trial.bytes_one_way;
        state.SetBytesProcessed(state.iterations() * bytes);
        if (member.trial.items != 0) state.SetItemsProcessed(state.iterations() * member.trial.items);
        state.SetLabel(joined(member.samples.flags, ", ", &Flag::text));
        return what_differs("after");
    }

    std::string what_differs(const std::string& when) const {
        const auto difference = member.trial.differs ? member.trial.differs() : "";
        return difference.empty() ? "" : difference + " (" + when + " it was timed)";
    }

    TakeInstruments take;
    std::unique_ptr<Instruments> of_gpu{};
    std::unique_ptr<Instruments> of_host = host_instruments();
    Instruments* instruments = nullptr;
    std::string why_no_gpu{};
    std::unique_ptr<Bench> bench{};
    Sampled member{};
    const Measurable* prepared = nullptr;
};

}  // namespace

std::optional<int> ran_as_google_benchmark(int count, char** arguments, const std::vector<Measurable>& measurables,
                                           const TakeInstruments& take) {
    if (std::none_of(arguments + 1, arguments + count,
                     [](std::string_view word) { return word.starts_with("--benchmark_") || word == "--help"; }))
        return std::nullopt;
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
    if (virtual_seconds()) benchmark::AddCustomContext("gpus", "simulated: these times were not measured");
    Runner runner(take);
    for (const auto& measurable : measurables) {
        if (measurable.benchmark.role.tunes) continue;  // its sets are those of other benchmarks
        for (const auto& set : sets_of(measurable.benchmark))
            benchmark::RegisterBenchmark(name_of(measurable.benchmark, set).c_str(), [&runner, &measurable,
                                                                                      set](benchmark::State& state) {
                runner.run(state, measurable, set);
            })->UseManualTime();
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
    benchmark::Shutdown();
    return 0;
}

}  // namespace tocuda
