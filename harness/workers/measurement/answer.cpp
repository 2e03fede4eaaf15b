// tocuda, Apache-2.0.
// Reads the parameter sets, one a line, and writes a line of samples for each. Invalid lines are refused with their
// number.
#include "measurement/answer.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "json_lines/worker_lines.hpp"
#include "measurement/instruments.hpp"
#include "measurement/measure_sets.hpp"
#include "worker/judging.hpp"

namespace tocuda {
namespace {

constexpr int understood = 0;
constexpr int usage_error = 2;

struct Order {
    Protocol protocol{};
    std::vector<Parameters> sets{};
};

// Returns what is wrong with a parameter set; empty if it is valid. Each value must have the type of the defaults, and
// numbers must not be negative.
std::string wrong_with(const Parameters& set, const Benchmark& benchmark) {
    for (const auto& [name, value] : set)
        if (!benchmark.parameters.contains(name)) return benchmark.name + " has no parameter '" + name + "'";
    for (const auto& [name, values] : benchmark.parameters) {
        const auto found = set.find(name);
        if (found == set.end()) return "'" + name + "' is missing";
        if (!values.empty() && found->second.held.index() != values.front().held.index())
            return "'" + name + "' has the wrong type";
        const auto* integer = std::get_if<std::int64_t>(&found->second.held);
        if (integer && *integer < 0) return "'" + name + "' is negative";
    }
    return "";
}

// Reads all sets before the first is measured, because memory is allocated once, for the largest.
std::optional<Order> read_order(const Benchmark& benchmark, std::istream& lines, std::ostream& complain) {
    Order order;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        const auto read = measure_line(line);
        if (read && std::holds_alternative<Protocol>(*read)) {
            if (number != 0) {
                complain << "line " << number + 1 << ": the protocol must be the first line\n";
                return std::nullopt;
            }
            order.protocol = std::get<Protocol>(*read);
            continue;
        }
        const auto wrong = read ? wrong_with(std::get<Parameters>(*read), benchmark) : read.error().what;
        if (!wrong.empty()) {
            complain << "line " << number + 1 << ": " << wrong << "\n";
            return std::nullopt;
        }
        order.sets.push_back(std::get<Parameters>(*read));
    }
    return order;
}

std::unique_ptr<Instruments> instruments_for(const Measurable& measurable, const TakeInstruments& take) {
    if (measurable.uses_gpu_itself()) return take();
    return host_instruments(measurable.gpu_of_new_process ? measurable.gpu_of_new_process() : "");
}

enum class Asked { to_measure, what_is_skipped };

int carry_out(const Order& order, const Measurable& measurable, const TakeInstruments& take, const SayLine& say,
              Asked asked) {
    const bool names = std::getenv(name_libcuda);
    const auto say_samples = [&](const Samples& samples) {
        if (!names) return say(to_line(samples));
        auto named = samples;
        std::ifstream maps("/proc/self/maps");
        named.libcuda = mapped_libcuda(maps);
        say(to_line(named));
    };
    if (order.sets.empty()) return understood;
    std::unique_ptr<Instruments> instruments;
    std::shared_ptr<Company> company;
    try {
        company = company_of_this_process();
        instruments = instruments_for(measurable, take);
    } catch (const std::exception& error) {
        for (const auto& set : order.sets)
            say(to_line(Samples{.parameters = set,
                                .status = Status::failed,
                                .check = error.what(),
                                .clock = measurable.benchmark.clock}));
        return understood;
    }
    if (asked == Asked::what_is_skipped) {
        say_what_is_skipped(measurable, order.sets, *instruments, say_samples);
        return understood;
    }
    const auto ended = measure_sets(measurable, order.sets, order.protocol, *instruments, say_samples, company.get());
    return ended == SetsEnded::whole ? understood : context_lost;
}

}  // namespace

BenchmarkWords answer_with(std::vector<Measurable> measurables, const TakeInstruments& take) {
    const auto held = std::make_shared<const std::vector<Measurable>>(std::move(measurables));
    const auto answer = [&](Asked asked) {
        return [held, take, asked](const std::string& name, std::istream& lines, const SayLine& say,
                                   std::ostream& complain) {
            const auto found = std::find_if(held->begin(), held->end(), [&](const Measurable& measurable) {
                return measurable.benchmark.name == name;
            });
            if (found == held->end()) {
                complain << "no benchmark named '" << name << "'\n";
                return usage_error;
            }
            const auto order = read_order(found->benchmark, lines, complain);
            return order ? carry_out(*order, *found, take, say, asked) : usage_error;
        };
    };
    return {.describe =
                [held](const SayLine& say) {
                    for (const auto& measurable : *held) say(to_line(measurable.benchmark));
                },
            .measure = answer(Asked::to_measure),
            .skips = answer(Asked::what_is_skipped)};
}

int benchmark_worker_main(int count, char** arguments, Hooks hooks, const TakeInstruments& take) {
    if (const auto code = ran_as_google_benchmark(count, arguments, registered_benchmarks(), take)) return *code;
    hooks.benchmarks = answer_with(registered_benchmarks(), take);
    return worker_main(count, arguments, hooks);
}

}  // namespace tocuda
