// tocuda, Apache-2.0.
#include "terminal/arguments.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <system_error>

#include "model/nearest.hpp"
#include "terminal/complaint.hpp"
#include "terminal/description.hpp"

namespace tocuda {
namespace {

class Formatter : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App* app, std::string) const override {
        std::string usage = "Usage: tocuda " + app->get_name() + " [OPTIONS]";
        for (const auto* option :
             app->get_options([](const CLI::Option* candidate) { return candidate->get_positional(); })) {
            const auto word = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
            usage += option->get_required() ? " " + word : " [" + word + "]";
        }
        return usage + "\n";
    }
};

// Rewords CLI11's errors, which mention types and counts.
std::string in_our_words(const CLI::ParseError& error) {
    const std::string said = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        const bool too_many = said.find(": At Most") != std::string::npos;
        return said.substr(0, said.find(':')) + (too_many ? " was given twice: give it once" : " needs a value");
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error)) return said.substr(0, said.find(' ')) + " is missing";
    return said;
}

// Returns nullopt unless the whole text is a number.
template <class Number>
std::optional<Number> number_of(const std::string& text) {
    Number number{};
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

std::string no_empty_value(const std::string& value) { return value.empty() ? "needs a value that is not empty" : ""; }

std::string no_value_at_all(const std::string& value) {
    return value.starts_with("--") ? "needs a value, but '" + value + "' is an option" : no_empty_value(value);
}

}  // namespace

struct Arguments::Parser {
    Parser(const std::string& name, const std::string& summary) : verb(name), app(summary, name) {}

    std::string verb;
    CLI::App app;
    std::vector<std::string> examples{};

    Description description() const {
        auto usage = Formatter().make_usage(&app, "");
        usage.erase(0, std::string_view("Usage: ").size());
        usage.erase(usage.find('\n'));
        Description described{verb, app.get_description(), usage, {}, examples};
        for (const auto* option : app.get_options()) {
            const bool is_positional = option->get_positional();
            DescribedOption one{{}, option->get_type_name(), option->get_description()};
            if (is_positional) one.value = option->get_name(true);
            if (is_positional) one.names = {one.value};
            for (const auto& name : option->get_snames()) one.names.push_back("-" + name);
            for (const auto& name : option->get_lnames()) one.names.push_back("--" + name);
            described.options.push_back(std::move(one));
        }
        return described;
    }

    int refuse(const std::string& what) const {
        complain("tocuda: " + what);
        return usage;
    }

    int refuse(const CLI::ParseError& error) const {
        std::vector<std::string> names;
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        const auto extras = app.remaining();
        const auto unknown =
            std::find_if(extras.begin(), extras.end(), [](const std::string& word) { return word.starts_with('-'); });
        if (unknown != extras.end())
            return refuse(fmt::format("unknown option '{}'{}; `tocuda {} --help` lists the options", *unknown,
                                      suggestion(*unknown, names), verb));
        const bool lacks_one = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
        if (lacks_one || !extras.empty())
            return refuse(fmt::format("{}; usage: {}",
                                      lacks_one ? in_our_words(error) : "unexpected argument '" + extras.front() + "'",
                                      description().usage));
        return refuse(in_our_words(error));
    }
};

Arguments::Arguments(const std::string& name, const std::string& summary, const std::vector<std::string>& examples)
    : parser(std::make_unique<Parser>(name, summary)) {
    auto formatter = std::make_shared<Formatter>();
    formatter->column_width(24);
    parser->app.formatter(formatter);
    parser->app.get_help_ptr()->description("print this help and exit");
    std::string footer = "Examples:";
    for (const auto& example : examples) {
        parser->examples.push_back("tocuda " + name + (example.empty() ? "" : " ") + example);
        footer += "\n  " + parser->examples.back();
    }
    parser->app.footer(footer);
}

Arguments::~Arguments() = default;

void Arguments::flag(const std::string& name, bool& value, const std::string& help) {
    parser->app.add_flag(name, value, help);
}

void Arguments::option(const std::string& name, std::string& value, const std::string& help, const std::string& kind,
                       Presence presence) {
    parser->app.add_option(name, value, help)
        ->type_name(kind)
        ->required(presence == Presence::required)
        ->check(no_value_at_all, "");
}

void Arguments::option(const std::string& name, std::vector<std::string>& values, const std::string& help,
                       Presence presence) {
    parser->app.add_option(name, values, help)
        ->type_name("")
        ->required(presence == Presence::required)
        ->check(no_empty_value, "");
}

void Arguments::option(const std::string& name, int& value, int least, int most, const std::string& help,
                       const std::string& kind) {
    const auto take = [=, &value](const std::string& text) {
        const auto number = number_of<int>(text);
        if (!number || *number < least || *number > most)
            throw CLI::ValidationError(name,
                                       fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
        value = *number;
    };
    parser->app.add_option_function<std::string>(name, take, help)->type_name(kind);
}

void Arguments::option(const std::string& name, double& value, const std::string& help, const std::string& kind) {
    const auto take = [=, &value](const std::string& text) {
        const auto number = number_of<double>(text);
        constexpr double least = 1e-9;
        constexpr double most = 1e9;
        if (!number || !(*number >= least && *number <= most))
            throw CLI::ValidationError(name, fmt::format("'{}' is not a number above 0 and up to 1e9", text));
        value = *number;
    };
    parser->app.add_option_function<std::string>(name, take, help)->type_name(kind);
}

int Arguments::refuse(const std::string& what) const { return parser->refuse(what); }

std::optional<int> Arguments::parse(const Words& words) {
    if (words.size() == 2 && words[0] == "--help-as") {
        fmt::print("{}", part_for(words[1], parser->description()));
        return as_expected;
    }
    Words backwards(words.rbegin(), words.rend());  // CLI11 expects the arguments in reverse order
    try {
        parser->app.parse(backwards);
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", parser->app.help());
        return as_expected;
    } catch (const CLI::ParseError& error) {
        return parser->refuse(error);
    }
}

}  // namespace tocuda
