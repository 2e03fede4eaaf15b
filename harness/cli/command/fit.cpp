// tocuda, Apache-2.0.
// `tocuda fit`: will a program's memory fit on these GPUs?
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "command/verb.hpp"
#include "engine/temporary_folder.hpp"
#include "json_lines/documents.hpp"
#include "machine/simulation_spec.hpp"
#include "model/words.hpp"
#include "printing/fit_answer.hpp"
#include "simulated/fitting.hpp"
#include "simulated/simulated_run.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

struct Options {
    std::string specs = "H100";
    std::string outside{};
    std::string vary{};
    std::string output{};
    bool no_compute = false;
    bool json = false;
    bool strict = false;
};

// "2xL4" is "2x" and "L4".
std::pair<std::string, std::string> count_and_gpu(const std::string& name) {
    const auto x = name.find('x');
    const bool counted = x != std::string::npos && x > 0 && name.find_first_not_of("0123456789") == x;
    return {counted ? name.substr(0, x + 1) : "", counted ? name.substr(x + 1) : name};
}

// "H100", "24GiB": one of it; "2xL4": two. A size is that of an H100, whose kernels take more beside the tensors than
// those of most.
Expected<FitTarget> target_of(const std::string& name) {
    auto [count, of] = count_and_gpu(name);
    const bool counted = !count.empty();
    if (parse_memory(of)) of = "H100:" + of;
    const auto machine = machine_of((counted ? count : "1x") + of, {}, 1);
    if (machine) return FitTarget{count + of, *machine};
    constexpr std::string_view not_typed = "'1x";
    auto why = machine.error().what;
    if (!counted && why.starts_with(not_typed)) why.erase(1, not_typed.size() - 1);
    if (const auto grammar = why.find(before_allowed_forms); grammar != std::string::npos)
        why.replace(grammar, std::string::npos,
                    "; use a memory (24GiB), FILE.json, or a name (" + joined(profile_names()) +
                        "), also with another memory (H100:24GiB) or count (2xL4)");
    return problem(why);
}

Expected<FitVariation> variation_of(const std::string& text, const Words& command) {
    const auto is = text.find('='), dots = text.find("..");
    if (is == std::string::npos || is == 0 || dots == std::string::npos || dots < is)
        return problem("--vary " + text + ": NAME=1..64 is expected");
    const auto least = whole_number<std::int64_t>(text.substr(is + 1, dots - is - 1));
    const auto most = whole_number<std::int64_t>(text.substr(dots + 2));
    if (!least || !most || *least < 0 || *least > *most || *most > std::numeric_limits<int>::max())
        return problem("--vary " + text + ": NAME=1..64 is expected");
    FitVariation variation{text.substr(0, is), *least, *most};
    const auto mark = "{" + variation.name + "}";
    const auto holds = [&](const std::string& word) { return word.find(mark) != std::string::npos; };
    if (std::ranges::none_of(command, holds))
        return problem(fmt::format("--vary {}: the command holds no {}", text, mark));
    return variation;
}

Expected<void> read_options(const Options& options, Fitting& asked) {
    for (const auto& name : parts_of(options.specs, ',')) {
        auto target = target_of(name);
        if (!target) return problem(target.error());
        asked.targets.push_back(*std::move(target));
    }
    if (options.outside == "0" || options.outside == "0MiB") {  // too little for a GPU, but not for this
        asked.outside = 0;
    } else if (!options.outside.empty()) {
        const auto bytes = parse_memory(options.outside);
        if (!bytes) return problem("--outside: " + bytes.error().what);
        asked.outside = *bytes;
    }
    if (!options.vary.empty()) {
        const auto variation = variation_of(options.vary, asked.command);
        if (!variation) return problem(variation.error());
        asked.variation = *variation;
    }
    asked.computes = !options.no_compute;
    return {};
}

int exit_code(const Fitted& answer, bool strict) {
    int code = as_expected;
    for (const auto& gpu : answer.gpus) {
        if (gpu.verdict == "not") return finding;
        if (gpu.verdict != "fits" && strict) code = undecided;
    }
    for (const auto& varied : answer.varied)
        if (!varied.largest) return finding;
    return code;
}

// What was taken for a size without a GPU; empty if each has one.
std::string sizes_words(const std::string& specs) {
    for (const auto& name : parts_of(specs, ','))
        if (const auto size = count_and_gpu(name).second; parse_memory(size))
            return "  " + wrap(fmt::format("{0} is H100:{0}: a size alone is that of an H100, whose kernels take more "
                                           "beside the tensors than those of most; for another GPU name it (L4:{0})",
                                           size),
                               2, 4);
    return "";
}

int fit(const Options& options, const Fitting& asked) {
    if (!can_simulate()) return complain(Refusal{nothing_done, "this build has no simulated GPUs"});
    if (options.json && !std::ofstream(options.output, std::ios::app))
        return complain(Refusal{usage, options.output + ": cannot be written"});
    std::error_code failed;
    if (std::filesystem::exists(asked.record, failed) && !std::filesystem::is_regular_file(asked.record, failed))
        return complain(Refusal{usage, asked.record + ": is not a regular file"});
    if (!asked.record.empty() && !std::ofstream(asked.record, std::ios::app))
        return complain(Refusal{usage, asked.record + ": cannot be written"});
    stdout_is_not_ours();
    say_what_is_visible();
    const auto answer = fitted(asked);
    if (!answer) {
        if (options.json)
            std::ofstream(options.output) << error_document("tocuda: " + answer.error().why, answer.error().code);
        return complain(answer.error());
    }
    if (options.json && !(std::ofstream(options.output) << fit_document(*answer) << '\n' << std::flush))
        return complain(Refusal{nothing_done, options.output + ": could not be written"});
    if (!options.json)
        for (const auto& line : fit_answer(*answer)) complain(line);
    if (const auto sizes = sizes_words(options.specs); !options.json && !sizes.empty()) complain(sizes);
    return exit_code(*answer, options.strict);
}

}  // namespace

int fit_verb(const Words& words) {
    Arguments arguments(
        "fit", "Tell whether a program's memory fits on GPUs: SPEC -- COMMAND.",
        {"H100,L40S,24GiB -- python train.py", "L4 --vary batch=1..64 -- python train.py --batch-size {batch}"});
    arguments.exits(
        "0 it fits; 1 it does not; 2 unreadable; 3 tight or open (--strict); 4 never started, or failed otherwise");
    Options options;
    Fitting asked;
    arguments.option("SPEC", options.specs, "GPUs, each judged alone: H100,H100:24GiB,2xL4,mine.json", "");
    arguments.option("--steps", asked.steps, 1, 1 << 30, "end the program after N steps of its optimizer", "N");
    arguments.option("--settings", asked.settings, "other settings: PYTORCH_ALLOC_CONF as text, or all");
    arguments.option("--vary", options.vary, "the largest whole number for {NAME} in COMMAND that fits", "NAME=1..64");
    arguments.option("--outside", options.outside, "what is taken besides LibTorch, of each GPU: 600MiB", "SIZE");
    arguments.flag("--no-compute", options.no_compute, "compute no values; for programs whose sizes need none");
    arguments.option("--record", asked.record, "keep what the allocator did, for replay", "FILE");
    arguments.flag("--strict", options.strict, "exit code 3 if it is tight or open");
    arguments.flag("--json", options.json, "write the answer to --output as a document");
    arguments.option("--output", options.output, "the file for --json", "FILE");
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
    if (end == words.end() && words.size() > 1 && std::none_of(words.begin(), words.begin() + 2, is_option))
        return arguments.refuse("'--' is missing before the command; try tocuda fit H100 -- python train.py");
    if (const auto code = arguments.parse({words.begin(), end})) return *code;
    if (end != words.end()) asked.command.assign(end + 1, words.end());
    if (asked.command.empty()) return arguments.refuse("the command is missing; try -- python train.py");
    if (options.json == options.output.empty()) return arguments.refuse("--json and --output FILE need each other");
    if (!options.vary.empty() && (!asked.record.empty() || !asked.settings.empty()))
        return arguments.refuse("--vary goes without --record and --settings");
    if (const auto read = read_options(options, asked); !read) return arguments.refuse(read.error().what);
    return fit(options, asked);
}

}  // namespace tocuda
