// tocuda, Apache-2.0.
// The main function: finds the verb and runs it.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "command/verbs.hpp"
#include "json_lines/build_line.hpp"
#include "machine/probe.hpp"
#include "model/nearest.hpp"
#include "process/supervisor.hpp"
#include "request/other_build.hpp"
#include "terminal/complaint.hpp"

namespace {

using namespace std::string_literals;

using tocuda::verbs;

// What people type for another verb.
struct Synonym {
    std::string_view word;
    std::string_view meant;
};
constexpr std::array synonyms{
    Synonym{"why", "tocuda doctor"},        Synonym{"diagnose", "tocuda doctor"}, Synonym{"check", "tocuda doctor"},
    Synonym{"status", "tocuda doctor"},     Synonym{"test", "tocuda run"},        Synonym{"start", "tocuda run"},
    Synonym{"benchmark", "tocuda bench"},   Synonym{"measure", "tocuda bench"},   Synonym{"diff", "tocuda compare"},
    Synonym{"ls", "tocuda list"},           Synonym{"search", "tocuda list"},     Synonym{"info", "tocuda show"},
    Synonym{"explain", "tocuda show"},      Synonym{"validate", "tocuda verify"}, Synonym{"rerun", "tocuda reproduce"},
    Synonym{"version", "tocuda --version"},
};

void print_contents() {
    fmt::print(
        "tocuda: why a PyTorch tensor does not get to the GPU, and how fast it does\n\nUsage: tocuda VERB "
        "[OPTIONS]\n\n");
    for (const auto& verb : verbs) {
        if (*verb.group != '\0') fmt::print("{}{}:\n", &verb == verbs.data() ? "" : "\n", verb.group);
        fmt::print("  {:12}{}\n", verb.name, verb.summary);
    }
    fmt::print(
        "\nRun `tocuda VERB --help` for the options of a verb.\n\nExamples:\n  tocuda doctor\n  tocuda run\n  "
        "tocuda show dtype/double_move\n");
}

int unknown(const std::string& word) {
    const auto* what = word.starts_with('-') ? "option" : "verb";
    const auto* synonym =
        std::find_if(synonyms.begin(), synonyms.end(), [&](const Synonym& one) { return one.word == word; });
    std::vector<std::string> names;
    for (const auto& verb : verbs) names.emplace_back(verb.name);
    const auto meant = synonym == synonyms.end() ? tocuda::suggestion(word, names)
                                                 : fmt::format(" (did you mean `{}`?)", synonym->meant);
    tocuda::complain(fmt::format("tocuda: unknown {} '{}'{}; `tocuda --help` lists the verbs", what, word, meant));
    return tocuda::usage;
}

// `help VERB`
int help(const tocuda::Words& words) {
    if (words.size() > 1)
        return tocuda::complain(tocuda::usage, "tocuda: unexpected argument '" + words[1] + "'; give one verb");
    for (const auto& verb : verbs)
        if (!words.empty() && words[0] == verb.name) return verb.run({"--help"});
    if (!words.empty()) return unknown(words[0]);
    print_contents();
    return tocuda::as_expected;
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
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return help({words.begin() + 1, words.end()});
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
    const tocuda::Words words(arguments + 1, arguments + count);
    int code = tocuda::nothing_done;
    try {
        code = dispatch(words);
    } catch (const std::exception& error) {
        // A failure to write to standard output is reported below.
        if (std::ferror(stdout) == 0) tocuda::complain(fmt::format("tocuda: {}", error.what()));
    }
    const auto end = std::find(words.begin(), words.end(), "--");  // of tocuda's own words
    if (std::find(words.begin(), end, "--json") != end) tocuda::print_failure(code);
    return code_with_output(code);
}
