// tocuda, Apache-2.0.
// `tocuda completion SHELL` and `tocuda man`: a frame around what each verb says about itself with --help-as.
#include <fmt/core.h>

#include "command/verbs.hpp"
#include "machine/suite.hpp"
#include "printing/bench_table.hpp"
#include "terminal/arguments.hpp"
#include "terminal/description.hpp"

namespace tocuda {
namespace {

constexpr auto end_of_page = R"TEXT(.SH ENVIRONMENT
.TP
.B COLUMNS
the width of tables, 80 to 140; otherwise the terminal's
.TP
.B NO_COLOR
no colour, if it is set and not empty
.TP
.B TOCUDA_PYTHON
the Python whose torch an installed tocuda uses; otherwise python3
.TP
.B TOCUDA_WORKERS
folders of workers, separated by colons; otherwise the program's own
)TEXT";

void print_parts(const char* form) {
    for (const auto& verb : verbs) verb.run({"--help-as", form});
}

std::string names_of_verbs() {
    std::string names = "help";
    for (const auto& verb : verbs) names += std::string(" ") + verb.name;
    return names;
}

void print_bash() {
    fmt::print(
        "# For this shell: source <(tocuda completion bash)\n"
        "_tocuda() {{\n"
        "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
        "  local verbs='{}' verdicts='{}' options= files= folders= values= operands=\n"
        "  case ${{COMP_WORDS[1]}} in\n"
        "    help) operands=verbs ;;\n",
        names_of_verbs(), verdicts_offered);
    print_parts("bash");
    fmt::print("{}", R"TEXT(  esac
  COMPREPLY=()
  if ((COMP_CWORD == 1)) || [[ $operands == verbs ]]; then COMPREPLY=($(compgen -W "$verbs" -- "$word"))
  elif [[ " $files " == *" $before "* ]]; then COMPREPLY=($(compgen -f -- "$word"))
  elif [[ " $folders " == *" $before "* ]]; then COMPREPLY=($(compgen -d -- "$word"))
  elif [[ $before == --verdict ]]; then COMPREPLY=($(compgen -W "$verdicts" -- "$word"))
  elif [[ " $values " == *" $before "* ]]; then return
  elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $operands == names ]]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" list --names 2>/dev/null)" -- "$word"))
  elif [[ $operands == shells ]]; then COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word"))
  elif [[ $operands == files ]]; then COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _tocuda tocuda
)TEXT");
}

void print_zsh() {
    fmt::print("{}", R"TEXT(#compdef tocuda
# Into a folder of $fpath: tocuda completion zsh > _tocuda
_tocuda_names() {
  local -a names=(${(f)"$($tocuda_program list --names 2>/dev/null)"})
  compadd -a names
}
_tocuda() {
  local tocuda_program=$words[1]
  local -a verbs=(help)TEXT");
    for (const auto& verb : verbs) fmt::print(" {}", quoted_for_zsh(fmt::format("{}:{}", verb.name, verb.summary)));
    fmt::print("{}", R"TEXT()
  if ((CURRENT == 2)); then
    _describe verb verbs
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    help) _describe verb verbs ;;
)TEXT");
    print_parts("zsh");
    fmt::print("  esac\n}}\n(($+functions[compdef])) && compdef _tocuda tocuda\n");
}

void print_fish() {
    fmt::print("# For this shell: tocuda completion fish | source\ncomplete -c tocuda -f\n");
    for (const auto& verb : verbs)
        fmt::print("complete -c tocuda -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                   quoted_for_fish(verb.summary));
    fmt::print("complete -c tocuda -n '__fish_seen_subcommand_from help' -a '{}'\n", names_of_verbs());
    print_parts("fish");
}

}  // namespace

int completion_verb(const Words& words) {
    Arguments arguments("completion", "Print a script that completes verbs, options and names.",
                        {"bash > ~/.local/share/bash-completion/completions/tocuda", "fish | source"});
    std::string shell;
    arguments.option("SHELL", shell, "bash, zsh or fish", "", Arguments::Presence::required);
    if (const auto code = arguments.parse(words)) return *code;
    if (shell == "bash") print_bash();
    else if (shell == "zsh") print_zsh();
    else if (shell == "fish") print_fish();
    else return arguments.refuse("no completion for '" + shell + "'; there is one for bash, zsh and fish");
    return as_expected;
}

int man_verb(const Words& words) {
    Arguments arguments("man", "Print the manual page.", {"> tocuda.1", "| man -l -"});
    if (const auto code = arguments.parse(words)) return *code;
    std::vector<Unavailable> ignored;
    fmt::print(R"TEXT(.TH TOCUDA 1 "" "tocuda {}" "User Commands"
.SH NAME
tocuda \- why a PyTorch tensor does not get to the GPU, and how fast it does
.SH SYNOPSIS
.B tocuda
.I VERB
[OPTIONS]
.SH VERBS
)TEXT",
               in_troff(this_suite(ignored).version));
    print_parts("man");
    fmt::print(
        ".SH COLUMNS\nof the tables of bench, judge and show. {}touched: every byte read or written. % peak: the share "
        "of "
        "the peak with that letter. median: the time of one operation. {} Gop/s: the first column is 10^9 operations a "
        "second. cy: the median in cycles of the SM clock.\n",
        in_troff(columns_legend), in_troff(see_legend));
    fmt::print(".SH EXIT STATUS\n");
    for (const auto& exit : described_exits)
        fmt::print(".TP\n.B {}\n{}\n", exit.code, in_troff(std::string(exit.means) + std::string(exit.more)));
    fmt::print("{}", end_of_page);
    return as_expected;
}

}  // namespace tocuda
