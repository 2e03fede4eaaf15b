// tocuda, Apache-2.0.
#include "terminal/arguments.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

#include "model/nearest.hpp"
#include "terminal/complaint.hpp"
#include "terminal/description.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

constexpr std::size_t help_column = 24;

// Returns nullopt unless the whole text is a number.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
    Number number{};
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

// "90", "90s", "20m", "1.5h"
std::optional<double> seconds_in(const std::string& text) {
    const double unit = text.ends_with('h') ? 3600 : text.ends_with('m') ? 60 : 1;
    const bool has_unit = unit > 1 || text.ends_with('s');
    const auto number = number_of<double>(text.substr(0, text.size() - (has_unit ? 1 : 0)));
    return number ? std::optional(*number * unit) : std::nullopt;
}

std::string no_empty_value(const std::string& value) { return value.empty() ? "needs a value that is not empty" : ""; }

std::string no_value_at_all(const std::string& value) {
    return value.starts_with("--") ? "needs a value, but '" + value + "' is an option" : no_empty_value(value);
}

// A number such as -1 is a value.
bool is_option(const std::string& word) {
    return word.size() > 1 && word.front() == '-' && word != "--" && (word[1] < '0' || word[1] > '9');
}

std::vector<std::string> names_in(const std::string& list) {
    const auto comma = list.find(',');
    if (comma == std::string::npos) return {list};
    return {list.substr(0, comma), list.substr(comma + 1)};
}

}  // namespace

struct Arguments::Parser {
    struct Option : DescribedOption {
        bool flag = false;
        bool many = false;  // takes several values
        bool required = false;
        std::function<std::string(const std::string&)> take{};  // returns what is wrong with the value; empty: nothing
        std::vector<std::string> given{};

        const std::string& name() const { return names.back(); }
    };

    std::string verb;
    std::string summary;
    std::vector<std::string> examples{};
    std::vector<Option> options{};
    std::vector<std::string> extras{};  // words that are no option and no value of one
    std::string exits{};
    bool help_wanted = false;

    Option& add(const std::string& names, const std::string& kind, const std::string& help) {
        Option option;
        option.names = names_in(names);
        option.value = kind;
        option.help = help;
        if (option.positional()) option.value = names;
        options.push_back(std::move(option));
        return options.back();
    }

    std::string usage_line() const {
        auto line = "tocuda " + verb + " [OPTIONS]";
        for (const auto& option : options) {
            if (!option.positional()) continue;
            const auto word = option.name() + (option.many ? "..." : "");
            line += option.required ? " " + word : " [" + word + "]";
        }
        return line;
    }

    Description description() const {
        Description described{verb, summary, usage_line(), {}, examples, exits};
        for (const auto& option : options) described.options.push_back(option);
        return described;
    }

    static std::string help_line(const Option& option) {
        auto name = fmt::format("  {}", fmt::join(option.names, ","));
        if (!option.positional() && !option.value.empty()) name += " " + option.value;
        if (option.many) name += " ...";
        if (option.required) name += " REQUIRED";
        name += name.size() < help_column ? std::string(help_column - name.size(), ' ')
                                          : "\n" + std::string(help_column, ' ');
        return name + wrap(option.help, help_column, help_column, paper_columns) + "\n";
    }

    std::string help() const {
        auto text = fmt::format("{}\nUsage: {}\n", summary, usage_line());
        for (const bool positional : {true, false}) {
            std::string lines;
            for (const auto& option : options)
                if (option.positional() == positional) lines += help_line(option);
            if (!lines.empty()) text += (positional ? "\nPositionals:\n" : "\nOptions:\n") + lines;
        }
        text += "\n" + wrap("Exit codes: " + exits_of(description()), 0, 2) + "\n";
        return fmt::format("{}\nExamples:\n  {}\n", text, fmt::join(examples, "\n  "));
    }

    // Returns what is wrong with the words as a whole.
    std::string wrong_words() const {
        std::vector<std::string> names;
        for (const auto& option : options)
            for (const auto& name : option.names)
                if (name.starts_with("--")) names.push_back(name);
        const auto unknown = std::find_if(extras.begin(), extras.end(), is_option);
        if (unknown != extras.end())
            return fmt::format(
                "unknown option '{}'{}; `tocuda {} --help` lists the options", *unknown,
                *unknown == "--csv" ? " (tables: --json, or scripts/plot FILE --csv)" : suggestion(*unknown, names),
                verb);
        for (const auto& option : options)
            if (option.required && option.given.empty()) return option.name() + " is missing; usage: " + usage_line();
        return extras.empty() ? "" : fmt::format("unexpected argument '{}'; usage: {}", extras.front(), usage_line());
    }

    Option* find(const std::string& name) {
        const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
            return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
        });
        return found == options.end() ? nullptr : &*found;
    }

    void give_positional(const std::string& word) {
        for (auto& option : options)
            if (option.positional() && (option.many || option.given.empty())) return option.given.push_back(word);
        extras.push_back(word);
    }

    // Takes the option in front with its values, in one word ("--output=x", "-ox") or several. Returns what is wrong.
    std::string take_option(const Words& words, std::size_t& at) {
        const auto& word = words[at++];
        const auto name = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
        auto* const option = find(name);
        const bool has_value = name.size() < word.size();
        if (!option || (option->flag && has_value)) {
            extras.push_back(word);
            return "";
        }
        if (option->flag || has_value) {
            option->given.push_back(option->flag ? "" : word.substr(name.size() + (word[name.size()] == '=' ? 1 : 0)));
        } else if (at == words.size()) {
            return option->name() + " needs a value";
        } else {
            option->given.push_back(words[at++]);
        }
        if (!option->many) return "";
        while (at < words.size() && words[at] != "--" && !is_option(words[at])) option->given.push_back(words[at++]);
        if (at < words.size() && words[at] == "--") ++at;  // ends the list
        return "";
    }

    std::string distribute(const Words& words) {
        bool only_positional = false;
        for (std::size_t at = 0; at < words.size();) {
            if (!only_positional && is_option(words[at])) {
                if (const auto wrong = take_option(words, at); !wrong.empty()) return wrong;
            } else if (!only_positional && words[at] == "--") {
                only_positional = true;
                ++at;
            } else {
                give_positional(words[at++]);
            }
        }
        return "";
    }

    // Hands the values over, in the order of the options. Returns what is wrong with one.
    std::string hand_over() const {
        for (const auto& option : options) {
            for (const auto& value : option.given)
                if (const auto wrong = option.take(value); !wrong.empty()) return option.name() + ": " + wrong;
            if (!option.flag && !option.many && option.given.size() > 1)
                return option.name() + " was given twice: give it once";
        }
        return "";
    }
};

Arguments::Arguments(const std::string& name, const std::string& summary, const std::vector<std::string>& examples)
    : parser(std::make_unique<Parser>(Parser{name, summary})) {
    for (const auto& example : examples)
        parser->examples.push_back("tocuda " + name + (example.empty() ? "" : " ") + example);
    flag("-h,--help", parser->help_wanted, "print this help and exit");
}

Arguments::~Arguments() = default;

void Arguments::flag(const std::string& name, bool& value, const std::string& help) {
    auto& option = parser->add(name, "", help);
    option.flag = true;
    option.take = [&value](const std::string&) {
        value = true;
        return std::string();
    };
}

void Arguments::option(const std::string& name, std::string& value, const std::string& help, const std::string& kind,
                       Presence presence) {
    auto& option = parser->add(name, kind, help);
    option.required = presence == Presence::required;
    option.take = [&value](const std::string& text) {
        value = text;
        return no_value_at_all(text);
    };
}

void Arguments::option(const std::string& name, std::vector<std::string>& values, const std::string& help,
                       Presence presence) {
    auto& option = parser->add(name, "", help);
    option.many = true;
    option.required = presence == Presence::required;
    option.take = [&values](const std::string& text) {
        values.push_back(text);
        return no_empty_value(text);
    };
}

void Arguments::option(const std::string& name, int& value, int least, int most, const std::string& help,
                       const std::string& kind) {
    parser->add(name, kind, help).take = [=, &value](const std::string& text) -> std::string {
        const auto number = number_of<int>(text);
        if (!number || *number < least || *number > most)
            return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
        value = *number;
        return "";
    };
}

void Arguments::option(const std::string& name, double& value, const std::string& help, const std::string& kind) {
    parser->add(name, kind, help).take = [&value](const std::string& text) -> std::string {
        const auto seconds = seconds_in(text);
        constexpr double least = 1e-9;
        constexpr double most = 1e9;
        if (!seconds || !(*seconds >= least && *seconds <= most))
            return fmt::format("'{}' is not a time: give seconds, or a unit, such as 90, 20m or 1.5h", text);
        value = *seconds;
        return "";
    };
}

void Arguments::exits(const std::string& codes) { parser->exits = codes; }

int Arguments::refuse(const std::string& what) const { return complain(usage, "tocuda: " + what); }

std::optional<int> Arguments::parse(const Words& words) {
    if (words.size() == 2 && words[0] == "--help-as") {
        fmt::print("{}", part_for(words[1], parser->description()));
        return as_expected;
    }
    auto wrong = parser->distribute(words);
    if (wrong.empty()) wrong = parser->hand_over();
    if (!wrong.empty()) return refuse(wrong);
    if (parser->help_wanted) {
        fmt::print("{}", parser->help());
        return as_expected;
    }
    wrong = parser->wrong_words();
    if (!wrong.empty()) return refuse(wrong);
    return std::nullopt;
}

}  // namespace tocuda
