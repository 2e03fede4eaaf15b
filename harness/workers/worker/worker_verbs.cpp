// tocuda, Apache-2.0.
// The worker's side of the protocol: describe, observe, judge, measure.
#include "worker/worker_verbs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

#include "json_lines/lines.hpp"
#include "json_lines/worker_lines.hpp"
#include "worker/judging.hpp"
#include "worker/registered.hpp"

namespace tocuda {
namespace {

constexpr int answers = 3;  // the descriptor that answers go to
constexpr int usage_error = 2;
constexpr int observation_failed = 70;

void write_line(const std::string& text) {
    std::string line = text + "\n";
    std::string_view rest = line;
    while (!rest.empty()) {
        const auto written = ::write(answers, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) std::_Exit(observation_failed);  // tocuda has ended, so nobody reads the rest
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

int describe(const Hooks& hooks) {
    write_line(to_line(WorkerLine{.built_with = hooks.built_with}));
    for (const auto& entry : registry()) write_line(to_line(entry.scenario));
    if (hooks.benchmarks.describe) hooks.benchmarks.describe(write_line);
    return 0;
}

Needs needs_of(const Scenario& scenario, const std::string& name) {
    for (const auto& variant : scenario.variants)
        if (variant.name == name) return needs_of(scenario, variant);
    return scenario.needs;
}

// Observes, unless the GPU lacks what the variant needs, before it begins or on the way.
void observe_if_possible(const Entry& entry, Observer& observer, const Hooks& hooks) {
    const auto lacking = hooks.lacking ? hooks.lacking(needs_of(entry.scenario, observer.variant())) : "";
    if (!lacking.empty()) return observer(lacked, lacking);
    try {
        entry.observe(observer);
    } catch (const std::exception&) {
        const auto why = hooks.lacked_by_this_exception ? hooks.lacked_by_this_exception() : "";
        if (why.empty()) throw;
        observer(lacked, why);
    }
}

int observe(const std::string& name, const std::string& variant, const Hooks& hooks) {
    const auto* entry = find_entry(name);
    if (!entry) {
        std::cerr << "no scenario named '" << name << "'\n";
        return usage_error;
    }
    try {
        Observer observer(variant, write_line, hooks.gpu_computes);
        observe_if_possible(*entry, observer, hooks);
        write_line(to_line(DoneLine{device_of_this_process(hooks.gpu_answered)}));
    } catch (const std::exception& error) {
        const std::string_view what = error.what();
        std::cerr << "the scenario threw: " << what.substr(0, what.find('\n')) << std::endl;
        return observation_failed;
    }
    return 0;
}

int judge() {
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto row = row_line(line);
        if (!row) {
            std::cerr << "cannot read row: " << row.error().what << "\n";
            return usage_error;
        }
        const auto* entry = find_entry(row->name);
        if (!entry) {
            std::cerr << "no scenario named '" << row->name << "'\n";
            return usage_error;
        }
        for (const auto& ruling : judge_row(*entry, *row)) write_line(to_line(ruling));
    }
    return 0;
}

}  // namespace

int worker_main(int count, char** arguments, const Hooks& hooks) {
    // First of all: a library that opens a file would otherwise be given this number.
    if (::fcntl(answers, F_GETFD) < 0) {
        std::cerr << arguments[0] << ": descriptor 3 is closed: start this program through `tocuda`"
                  << (hooks.benchmarks.measure ? ", or with --help for Google Benchmark's flags" : "") << "\n";
        return usage_error;
    }
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words == std::vector<std::string>{"describe"}) return describe(hooks);
    if (words == std::vector<std::string>{"judge"}) return judge();
    if (words.size() == 2 && words[0] == "measure" && hooks.benchmarks.measure)
        return hooks.benchmarks.measure(words[1], std::cin, write_line, std::cerr);
    if (words.size() == 2 && words[0] == "skips" && hooks.benchmarks.skips)
        return hooks.benchmarks.skips(words[1], std::cin, write_line, std::cerr);
    if (words.size() == 3 && words[0] == "observe") return observe(words[1], words[2], hooks);
    std::cerr << arguments[0] << ": usage: describe | observe NAME VARIANT | judge | measure NAME | skips NAME\n";
    return usage_error;
}

}  // namespace tocuda
