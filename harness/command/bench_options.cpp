// tocuda, Apache-2.0.
#include "command/bench_options.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "command/arguments.hpp"

namespace tocuda {
namespace {

struct Given {
    std::vector<std::string> words{};  // patterns and parameter choices
    std::string bytes{};
    bool quick = false;
    bool full = false;
};

void declare(Arguments& arguments, BenchOptions& options, Given& given) {
    arguments.option("PATTERN", given.words, "a name, folder or glob; or key=value, key=a..b");
    arguments.flag("--quick", given.quick, "about a minute");
    arguments.flag("--full", given.full, "everything, without a time limit");
    arguments.option("--bytes", given.bytes, "short for bytes=: 64MiB, 4KiB..1GiB or a list", "SIZES");
    arguments.option("--budget", options.budget, "time limit in seconds (480; with --quick 60)", "S");
    arguments.option("--timeout", options.seconds, "deadline in seconds for each process", "S");
    arguments.option("--seed", options.seed, 0, std::numeric_limits<int>::max(), "seed of the order of measurement (1)",
                     "N");
    arguments.option("--gpus", options.gpus, "0,3, a UUID or all; one after another (0)", "LIST");
    arguments.flag("--together", options.together, "with --gpus: measure these at the same time");
    arguments.option("--simulate", options.simulate, "measure simulated GPUs: 1xH200, 2x8GiB", "SPEC");
    arguments.flag("--real", options.real, "never simulate a GPU");
    arguments.option("--jobs", options.jobs, 1, 1024, "parallel processes on simulated GPUs", "N");
    arguments.option("--output", options.output, "folder for the result file", "DIR");
    arguments.option("--against", options.against, "compare with the build in DIR, measured in turns", "DIR");
    arguments.flag("--strict", options.strict, "with --against: exit 3 if a change is undecided");
    arguments.option("--resume", options.resume, "measure what is missing in FILE", "FILE");
    arguments.flag("--json", options.json, "print one JSON document on stdout");
    arguments.flag("--quiet", options.quiet, "no progress on stderr");
}

// Sorts the words into patterns and choices. Returns what is wrong with them; empty if nothing is.
std::string sort_words(const Given& given, Wanted& wanted) {
    auto words = given.words;
    if (!given.bytes.empty()) words.push_back("bytes=" + given.bytes);
    for (const auto& word : words) {
        if (word.find('=') == std::string::npos) {
            wanted.patterns.push_back(word);
            continue;
        }
        const auto choice = parameter_choice(word);
        if (!choice) return choice.wrong;
        const auto twice = std::find_if(wanted.choices.begin(), wanted.choices.end(),
                                        [&](const auto& one) { return one.name == choice->name; });
        if (twice != wanted.choices.end())
            return "'" + choice->name + "' is chosen twice: " + twice->word + " and " + word + "; write key=a,b";
        wanted.choices.push_back(*choice);
    }
    return "";
}

bool asks_for_something(const BenchOptions& options, const Given& given) {
    return !given.words.empty() || !given.bytes.empty() || given.quick || given.full || !options.gpus.empty() ||
           options.together || !options.simulate.empty() || options.real || !options.against.empty();
}

}  // namespace

std::variant<BenchOptions, int> parse_bench_options(const Words& words) {
    Arguments arguments("bench", "Measure kernels, transfers and copies, with confidence intervals.",
                        {"--simulate 1xH200 --quick", "copy/host_to_device/ --bytes 64MiB..1GiB"});
    BenchOptions options;
    Given given;
    declare(arguments, options, given);
    if (const auto code = arguments.parse(words)) return *code;
    if (given.quick && given.full) return arguments.refuse("--quick and --full exclude each other");
    if (options.real && !options.simulate.empty()) return arguments.refuse("--real and --simulate exclude each other");
    if (!options.resume.empty() && asks_for_something(options, given))
        return arguments.refuse("--resume measures what is missing in FILE: it accepts no other selection");
    if (options.together && options.gpus.empty())
        return arguments.refuse("--together needs the GPUs to measure at once: --gpus all or --gpus 0,3");
    if (options.together && !options.against.empty())
        return arguments.refuse("--together and --against exclude each other");
    options.wanted.protocol = given.quick ? "quick" : given.full ? "full" : "default";
    if (options.strict && options.against.empty())
        return arguments.refuse("--strict needs --against: it sets the exit code of an undecided change");
    if (options.budget > 0 && !options.against.empty())
        return arguments.refuse("--against always measures all its rounds: it cannot be combined with --budget");
    if (const auto wrong = sort_words(given, options.wanted); !wrong.empty()) return arguments.refuse(wrong);
    if (options.jobs == 0) options.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return options;
}

std::optional<BenchOptions> recorded_bench_options(const RunLine& run) {
    const Words words(run.command.begin() + std::min<std::ptrdiff_t>(2, std::ssize(run.command)), run.command.end());
    const auto parsed = parse_bench_options(words);
    const auto* options = std::get_if<BenchOptions>(&parsed);
    return options ? std::optional(*options) : std::nullopt;
}

BenchOptions resumed(BenchOptions before, const BenchOptions& now) {
    before.resume = now.resume;
    before.json = now.json;
    before.quiet = now.quiet;
    before.jobs = now.jobs;
    before.seconds = now.seconds;
    if (now.budget > 0) before.budget = now.budget;
    return before;
}

}  // namespace tocuda
