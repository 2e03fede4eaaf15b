// tocuda, Apache-2.0.
#include "command/request_options.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <thread>

#include "printing/bench_families.hpp"
#include "printing/verdict_table.hpp"
#include "process/child.hpp"
#include "request/characterise.hpp"
#include "terminal/arguments.hpp"

namespace tocuda {
namespace {

constexpr int largest_seed = std::numeric_limits<int>::max();

void declare_shared(Arguments& arguments, Request& request) {
    arguments.option("--output", request.output, "folder for the result file (results/local)", "DIR");
    arguments.option("--jobs", request.jobs, 1, 1024, "parallel processes, except on real GPUs", "N");
    arguments.option("--timeout", request.seconds, "deadline in seconds for each process", "S");
    arguments.flag("--json", request.json, "print one JSON document on stdout");
    arguments.flag("--quiet", request.quiet, "no progress on stderr");
}

void declare_where(Arguments& arguments, Request& request, const char* gpus) {
    arguments.option("--simulate", request.where.simulate, "use simulated GPUs: 4x1GiB, 1xH200", "SPEC");
    arguments.flag("--real", request.where.real, "never simulate in place of a real GPU");
    arguments.option("--gpus", request.where.gpus, gpus, "LIST");
    arguments.option("--resume", request.resume, "do what is missing in FILE", "FILE");
}

// A folder would be made under the name that somebody meant for a file.
std::string why_no_folder(const std::filesystem::path& output) {
    const auto kind = output.extension();
    std::error_code ignored;
    if ((kind != ".jsonl" && kind != ".json") || std::filesystem::exists(output, ignored)) return "";
    return "--output is a folder, in which the result file gets its name: '" + output.string() +
           "' is the name of a file";
}

bool is_given(const Words& words, const std::string& option) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return word == option || word.starts_with(option + "="); });
}

// Parses the words; `check` returns what contradicts in them.
template <class Check>
std::optional<Refusal> parse(Arguments& arguments, const char* verb, const Words& words, Request& request,
                             Check check) {
    request.started = now();
    request.command = {"tocuda", verb};
    request.command.insert(request.command.end(), words.begin(), words.end());
    if (const auto code = arguments.parse(words)) return Refusal{*code};
    std::string wrong = check();
    if (request.where.real && !request.where.simulate.empty()) wrong = "--real and --simulate exclude each other";
    if (!request.resume.empty() && is_given(words, "--output"))
        wrong = "--resume continues FILE: it cannot be combined with --output";
    if (wrong.empty()) wrong = why_no_folder(request.output);
    if (!wrong.empty()) return Refusal{arguments.refuse(wrong)};
    if (request.jobs == 0) request.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return std::nullopt;
}

struct GivenToBench {
    std::vector<std::string> words{};  // patterns and parameter choices
    std::string bytes{};
    Words labels{};
    int seed = 1;
    bool quick = false;
    bool full = false;
};

// Sorts the words into patterns and choices. Returns what is wrong with them; empty if nothing is.
std::string sort_words(const GivenToBench& given, Wanted& wanted) {
    auto words = given.words;
    if (!given.bytes.empty()) words.push_back("bytes=" + given.bytes);
    for (const auto& word : words) {
        if (word.find('=') == std::string::npos) {
            if (word == characterise_word) wanted.characterise = true;
            else wanted.patterns.push_back(word);
            continue;
        }
        const auto choice = parameter_choice(word);
        if (!choice) return choice.error().what;
        const auto twice =
            std::ranges::find_if(wanted.choices, [&](const auto& one) { return one.name == choice->name; });
        if (twice != wanted.choices.end())
            return "'" + choice->name + "' is chosen twice: " + twice->word + " and " + word + "; write key=a,b";
        wanted.choices.push_back(*choice);
    }
    if (wanted.characterise && (words.size() > 1 || given.quick || given.full))
        return "'characterise' is a whole measurement: it cannot be combined with other names, parameters, --quick or "
               "--full";
    return "";
}

// "rack=r12,wave=2". Returns what is wrong with it; empty if nothing is.
std::string read_labels(const std::string& text, std::map<std::string, std::string>& labels) {
    std::istringstream list(text);
    for (std::string one; std::getline(list, one, ',');) {
        const auto sign = one.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == one.size())
            return "--label " + text + ": '" + one + "' is not KEY=VALUE";
        if (!labels.try_emplace(one.substr(0, sign), one.substr(sign + 1)).second)
            return "--label " + text + ": " + one.substr(0, sign) + " is given twice";
    }
    return "";
}

bool selects_something(const BenchRequest& request, const GivenToBench& given) {
    return !given.words.empty() || !given.bytes.empty() || given.quick || given.full || request.where != Where{} ||
           request.together || is_in_turns(request);
}

std::string contradiction(const BenchRequest& request, const GivenToBench& given) {
    const std::string against = !request.against_driver.empty() ? "--against-driver"
                                : !request.against.empty()      ? "--against"
                                                                : "";
    if (given.quick && given.full) return "--quick and --full exclude each other";
    if (!request.resume.empty() && selects_something(request, given))
        return "--resume measures what is missing in FILE: it accepts no other selection";
    if (request.together && request.where.gpus.empty())
        return "--together needs the GPUs to measure at once: --gpus all or --gpus 0,3";
    if (!request.against.empty() && !request.against_driver.empty())
        return "--against and --against-driver exclude each other";
    if (request.strict && against.empty())
        return "--strict needs --against or --against-driver: it sets the exit code of an undecided change";
    if (against.empty()) return "";
    if (request.together) return "--together and " + against + " exclude each other";
    if (request.forecast) return "--forecast and " + against + " exclude each other";
    if (request.budget > 0) return against + " always measures all its rounds: it cannot be combined with --budget";
    return "";
}

}  // namespace

OrExit<RunRequest> parse_run(const Words& words) {
    Arguments arguments("run", "Run scenarios, judge their claims and record both.",
                        {"", "environment/ 001-04 --json"});
    RunRequest request;
    arguments.option("PATTERN", request.patterns, "a name, a folder, a glob or a claim id");
    declare_where(arguments, request, "GPUs to use: 0,3, a UUID or all");
    arguments.flag("--shared", request.shared, "also use GPUs that other programs use");
    arguments.flag("--strict", request.strict, "exit 3 if a claim is open");
    arguments.flag("--all", request.all, "on a terminal: a line for every claim");
    std::string only;
    arguments.option("--verdict", only, "print only true, false, partly, open, skipped or broken", "VERDICT");
    declare_shared(arguments, request);
    const auto refused = parse(arguments, "run", words, request, [&]() -> std::string {
        if (!request.resume.empty() && !request.patterns.empty())
            return "--resume cannot be combined with PATTERN: it runs what is missing from FILE";
        if (!only.empty() && request.json) return "--verdict chooses lines of the table: --json holds every claim";
        const auto verdict = verdict_called(only);
        request.only = verdict.value_or(std::nullopt);
        return verdict ? "" : verdict.error().what;
    });
    if (refused) return tl::unexpected(*refused);
    return request;
}

OrExit<BenchRequest> parse_bench(const Words& words) {
    const auto folder = folder_of(answering(described_roles(), headline::to_gpu));
    Arguments arguments("bench", "Measure kernels, transfers and copies, with confidence intervals.",
                        {"characterise", "--simulate 1xH200 " + folder + " --bytes 64KiB..16MiB"});
    BenchRequest request;
    GivenToBench given;
    arguments.option("PATTERN", given.words, "name, folder or glob; key=a,b or key=a..b; characterise");
    arguments.flag("--quick", given.quick, "about a minute");
    arguments.flag("--full", given.full, "everything, without a time limit");
    arguments.option("--bytes", given.bytes, "short for bytes=: 64MiB, 4KiB..1GiB or a list", "SIZES");
    arguments.option("--budget", request.budget, "in total: 1200, 20m (480; --quick 60; characterise 900)", "S");
    arguments.option("--seed", given.seed, 0, largest_seed, "seed of the order of measurement (1)", "N");
    arguments.option("--label", given.labels, "recorded of this host: rack=r12,wave=2");
    declare_where(arguments, request, "0,3, a UUID or all; one after another (0)");
    arguments.flag("--together", request.together, "with --gpus: measure these at the same time");
    arguments.option("--against", request.against, "compare with the build in DIR, measured in turns", "DIR");
    arguments.option("--against-driver", request.against_driver, "compare with the libcuda.so.1 in DIR, in turns",
                     "DIR");
    arguments.flag("--strict", request.strict, "with --against...: exit 3 if a change is undecided");
    arguments.flag("--forecast", request.forecast, "only say what would be measured, and how long it takes");
    declare_shared(arguments, request);
    const auto refused = parse(arguments, "bench", words, request, [&] {
        auto wrong = contradiction(request, given);
        for (const auto& labels : given.labels)
            if (wrong.empty()) wrong = read_labels(labels, request.labels);
        return wrong.empty() ? sort_words(given, request.wanted) : wrong;
    });
    if (refused) return tl::unexpected(*refused);
    request.wanted.protocol = given.quick ? "quick" : given.full ? "full" : "default";
    request.seed = static_cast<std::uint64_t>(given.seed);
    return request;
}

OrExit<ReproduceRequest> parse_reproduce(const Words& words) {
    Arguments arguments("reproduce", "Repeat a recorded run and compare the results with its own.",
                        {"results/nvidia-h200/580.159.04/FILE.jsonl", "FILE --json --output again/"});
    ReproduceRequest request;
    arguments.option("FILE", request.file, "a result file of bench or run", "", Arguments::Presence::required);
    arguments.option("--run", request.run, "prefix of the run's id, if FILE has several", "ID");
    arguments.option("--seed", request.seed, 0, largest_seed, "the order of measuring (default: the next)", "N");
    arguments.option("--budget", request.budget, "seconds in total (default: as recorded)", "S");
    declare_shared(arguments, request);
    const auto refused = parse(arguments, "reproduce", words, request, [] { return ""; });
    if (refused) return tl::unexpected(*refused);
    return request;
}

}  // namespace tocuda
