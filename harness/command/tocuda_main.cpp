// tocuda, Apache-2.0.
// The main function: finds the verb and runs it.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "command/complaint.hpp"
#include "command/other_build.hpp"
#include "command/verb.hpp"
#include "lines/build_line.hpp"
#include "machine/probe.hpp"
#include "model/nearest.hpp"
#include "process/supervisor.hpp"

namespace {

using namespace std::string_literals;

constexpr std::array verbs{
    tocuda::Verb{"list", "list scenarios and benchmarks, and whether they can run here", tocuda::list_verb},
    tocuda::Verb{"show", "show a scenario, claim or benchmark and its last result here", tocuda::show_verb},
    tocuda::Verb{"run", "run scenarios and judge their claims", tocuda::run_verb},
    tocuda::Verb{"bench", "measure kernels, transfers and copies", tocuda::bench_verb},
    tocuda::Verb{"judge", "judge recorded evidence again", tocuda::judge_verb},
    tocuda::Verb{"compare", "show what changed between two sets of results", tocuda::compare_verb},
    tocuda::Verb{"cite", "print a measured number as a line to quote", tocuda::cite_verb},
    tocuda::Verb{"reproduce", "repeat a recorded run and compare the results", tocuda::reproduce_verb},
    tocuda::Verb{"verify", "check that a result file is complete and unaltered", tocuda::verify_verb},
    tocuda::Verb{"merge", "merge result files into one", tocuda::merge_verb},
};

void print_contents() {
    fmt::print(
        "tocuda: why a PyTorch tensor does not get to the GPU, and how fast it does\n\nUsage: tocuda VERB "
        "[OPTIONS]\n\n");
    for (const auto& verb : verbs) fmt::print("  {:11}{}\n", verb.name, verb.summary);
    fmt::print(
        "\nRun `tocuda VERB --help` for the options of a verb.\n\nExamples:\n  tocuda run\n  tocuda show "
        "dtype/double_move\n");
}

int unknown(const std::string& word) {
    std::vector<std::string> names;
    for (const auto& verb : verbs) names.emplace_back(verb.name);
    const auto* what = word.starts_with("-") ? "option" : "verb";
    tocuda::complain(fmt::format("tocuda: unknown {} '{}'{}; `tocuda --help` lists the verbs", what, word,
                                 tocuda::suggestion(word, names)));
    return tocuda::usage;
}

// Opens /dev/null for closed standard descriptors. Otherwise a result file could get such a number, and messages would
// be written into it.
void keep_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0) (void)!::open("/dev/null", O_RDWR);
}

// Output that could not be written is an error.
int code_with_output(int code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    tocuda::complain("tocuda: cannot write to standard output: "s + std::strerror(errno));
    return tocuda::stopped_early;
}

int dispatch(const tocuda::Words& words) {
    if (words.empty()) {
        print_contents();
        return tocuda::usage;
    }
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        print_contents();
        return tocuda::as_expected;
    }
    if (words[0] == "--version") {
        if (words.size() > 1 && words[1] != "--json") return unknown(words[1]);
        const bool as_json = words.size() > 1 && words[1] == "--json";
        fmt::print("{}\n",
                   as_json ? tocuda::to_line(tocuda::this_build()) : tocuda::version_text(tocuda::this_build()));
        return tocuda::as_expected;
    }
    if (words[0] == "__simulation") return tocuda::simulation_verb({words.begin() + 1, words.end()});
    for (const auto& verb : verbs)
        if (words[0] == verb.name) return verb.run({words.begin() + 1, words.end()});
    return unknown(words[0]);
}

}  // namespace

int main(int count, char** arguments) {
    keep_standard_descriptors();
    if (count > 1 && arguments[1] == "__guardian"s) return tocuda::guardian_main(count, arguments);
    if (count > 1 && arguments[1] == "__probe"s) return tocuda::probe_main(count, arguments);
    try {
        return code_with_output(dispatch({arguments + 1, arguments + count}));
    } catch (const std::exception& error) {
        tocuda::complain(fmt::format("tocuda: {}", error.what()));
        return tocuda::nothing_done;
    }
}
