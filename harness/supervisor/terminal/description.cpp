// tocuda, Apache-2.0.
#include "terminal/description.hpp"

#include <fmt/format.h>

namespace tocuda {
namespace {

std::string escaped_by(std::string_view text, std::string_view letters, std::string_view before) {
    std::string result;
    for (const char letter : text) {
        if (letters.find(letter) != std::string_view::npos) result += before;
        result += letter;
    }
    return result;
}

std::string man_part(const Description& verb) {
    auto text = fmt::format(".SS {}\n{}\n.PP\n.B {}\n", verb.verb, in_troff(verb.summary), in_troff(verb.usage));
    for (const auto& option : verb.options) {
        const auto value = option.positional() || option.value.empty() ? "" : " " + option.value;
        text += fmt::format(".TP\n.B {}{}\n{}\n", in_troff(fmt::format("{}", fmt::join(option.names, ", "))), value,
                            in_troff(option.help));
    }
    if (!verb.exits.empty()) text += ".PP\nExit codes: " + in_troff(verb.exits) + "\n";
    text += ".PP\n";
    for (const auto& example : verb.examples) text += ".EX\n" + in_troff(example) + "\n.EE\n";
    return text;
}

// Variables that the script's function reads.
std::string bash_part(const Description& verb) {
    std::vector<std::string> options, files, folders, values;
    std::string operands;
    for (const auto& option : verb.options) {
        if (option.positional()) {
            operands = option.names_scenario() ? "names" : option.names.front() == "SHELL" ? "shells" : "files";
            continue;
        }
        options.insert(options.end(), option.names.begin(), option.names.end());
        auto& kind = option.names_file() ? files : option.names_folder() ? folders : values;
        if (!option.value.empty()) kind.insert(kind.end(), option.names.begin(), option.names.end());
    }
    return fmt::format("    {}) options='{}' files='{}' folders='{}' values='{}' operands='{}' ;;\n", verb.verb,
                       fmt::join(options, " "), fmt::join(files, " "), fmt::join(folders, " "), fmt::join(values, " "),
                       operands);
}

std::string zsh_action(const DescribedOption& option) {
    if (option.names_scenario()) return "_tocuda_names";
    if (option.names_folder()) return "_directories";
    if (option.names_file() || option.names.front() == "ROW") return "_files";
    if (option.names_verdict()) return fmt::format("({})", verdicts_offered);
    return option.value == "SHELL" ? "(bash zsh fish)" : "";
}

std::string zsh_part(const Description& verb) {
    auto text = fmt::format("    {})\n      _arguments", verb.verb);
    for (const auto& option : verb.options) {
        if (option.positional()) {
            text += " " + quoted_for_zsh("*:" + option.value + ":" + zsh_action(option));
            continue;
        }
        const auto help = escaped_by(option.help, "[]:", "\\");
        const auto value = option.value.empty() ? "" : ":" + option.value + ":" + zsh_action(option);
        for (const auto& name : option.names) text += " " + quoted_for_zsh(name + "[" + help + "]" + value);
    }
    return text + " ;;\n";
}

std::string fish_part(const Description& verb) {
    std::string text;
    const auto head = fmt::format("complete -c tocuda -n '__fish_seen_subcommand_from {}'", verb.verb);
    for (const auto& option : verb.options) {
        auto line = head;
        if (option.positional()) {
            line += option.names_scenario()   ? " -a '(tocuda list --names)'"
                    : option.value == "SHELL" ? " -a 'bash zsh fish'"
                                              : " -F";
        } else {
            for (const auto& name : option.names)
                line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (!option.value.empty()) line += option.names_file() || option.names_folder() ? " -r -F" : " -x";
            if (option.names_verdict()) line += fmt::format(" -a '{}'", verdicts_offered);
            line += " -d " + quoted_for_fish(option.help);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::string exits_of(const Description& verb) {
    if (!verb.exits.empty()) return verb.exits;
    const auto has = [&](std::string_view name) {
        for (const auto& option : verb.options)
            for (const auto& one : option.names)
                if (one == name) return true;
        return name.empty();
    };
    std::string text;
    for (const auto& exit : described_exits)
        if (has(exit.option))
            text += (text.empty() ? "" : "; ") + std::to_string(exit.code) + " " + std::string(exit.means);
    return text;
}

std::string part_for(std::string_view form, const Description& verb) {
    if (form == "bash") return bash_part(verb);
    if (form == "zsh") return zsh_part(verb);
    return form == "fish" ? fish_part(verb) : man_part(verb);
}

std::string in_troff(std::string_view text) {
    auto safe = escaped_by(text, "-", "\\");
    if (const auto slash = text.find('\\'); slash != std::string_view::npos) safe = escaped_by(text, "-\\", "\\");
    return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string quoted_for_zsh(std::string_view text) {
    std::string safe;
    for (const char letter : text) safe += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return "'" + safe + "'";
}

std::string quoted_for_fish(std::string_view text) { return "'" + escaped_by(text, "'\\", "\\") + "'"; }

}  // namespace tocuda
