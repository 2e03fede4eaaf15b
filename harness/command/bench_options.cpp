// tocuda, Apache-2.0.
// Parsing the words of `bench`.
#include "command/bench_options.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "command/arguments.hpp"

namespace tocuda {
namespace {

struct Given {
    std::vector<std::string> words{};  // patterns and choices
    std::string bytes{};
    bool quick = false;
    bool full = false;
};

void declare(Arguments& arguments, BenchOptions& options, Given& given) {
    arguments.option("PATTERN", given.words, "a name, a folder, a glob; or key=value, key=a..b");
    arguments.flag("--quick", given.quick, "about a minute");
    arguments.flag("--full", given.full, "everything, as long as it takes");
    arguments.option("--bytes", given.bytes, "short for bytes=: 64MiB, 4KiB..1GiB, a list", "SIZES");
    arguments.option("--budget", options.budget, "seconds for the whole (quick 60, otherwise 480)", "S");
    arguments.option("--timeout", options.seconds, "a deadline in seconds for each child", "S");
    arguments.option("--seed", options.seed, 0, std::numeric_limits<int>::max(),
                     "the order in which it is measured (1)", "N");
    arguments.option("--gpus", options.gpus, "0,3, a UUID, all: one after another (0)", "LIST");
    arguments.flag("--together", options.together, "with --gpus: all of these at once");
    arguments.option("--simulate", options.simulate, "measure simulated GPUs: 1xH200, 2x8GiB", "SPEC");
    arguments.flag("--real", options.real, "never simulate a GPU");
    arguments.option("--jobs", options.jobs, 1, 1024, "children side by side on simulated GPUs", "N");
    arguments.option("--output", options.output, "the folder for the result file", "DIR");
    arguments.option("--against", options.against, "measure another build beside this one, in turns", "DIR");
    arguments.flag("--strict", options.strict, "with --against: exit 3 where a change is undecided");
    arguments.option("--resume", options.resume, "measure what is missing in FILE", "FILE");
    arguments.flag("--json", options.json, "one document on stdout");
    arguments.flag("--quiet", options.quiet, "no progress on stderr");
}

// What is wrong with them, or nothing.
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
            return "'" + choice->name + "' is chosen twice: " + twice->word + " and " + word + "; say key=a,b";
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
    Arguments arguments("bench", "Measure kernels, transfers and copies, with intervals over processes.",
                        {"--simulate 1xH200 --quick", "copy/host_to_device/ --bytes 64MiB..1GiB"});
    BenchOptions options;
    Given given;
    declare(arguments, options, given);
    if (const auto code = arguments.parse(words)) return *code;
    if (given.quick && given.full) return arguments.refuse("--quick and --full exclude each other");
    if (options.real && !options.simulate.empty()) return arguments.refuse("--real and --simulate exclude each other");
    if (!options.resume.empty() && asks_for_something(options, given))
        return arguments.refuse("--resume measures what FILE left out; it takes nothing that chooses what");
    if (options.together && options.gpus.empty())
        return arguments.refuse("--together measures several GPUs at once: say which with --gpus all or --gpus 0,3");
    if (options.together && !options.against.empty())
        return arguments.refuse("--together and --against exclude each other");
    options.wanted.protocol = given.quick ? "quick" : given.full ? "full" : "default";
    if (options.strict && options.against.empty())
        return arguments.refuse("--strict says what becomes of an undecided change: it needs --against");
    if (options.budget > 0 && !options.against.empty())
        return arguments.refuse("--against takes its rounds whatever they cost: it takes no --budget");
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
