// tocuda, Apache-2.0.
// Parsing one verb's words with CLI11.
#include "command/arguments.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>

#include "command/complaint.hpp"
#include "model/nearest.hpp"

namespace tocuda {
namespace {

class Formatter : public CLI::Formatter {
public:
    std::string make_usage(const CLI::App* app, std::string) const override {
        std::string usage = "Usage: tocuda " + app->get_name() + " [OPTIONS]";
        for (const auto* option : app->get_options([](const CLI::Option* candidate) { return candidate->get_positional(); }))
            usage += " " + option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
        return usage + "\n\n";
    }
};

}  // namespace

struct Arguments::Parser {
    Parser(const std::string& name, const std::string& summary) : verb(name), app(summary, name) {}

    std::string verb;
    CLI::App app;

    int refuse(const CLI::ParseError& error) {
        std::vector<std::string> names;
        for (const auto* option : app.get_options())
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        const auto extras = app.remaining();
        const auto unknown = std::find_if(extras.begin(), extras.end(), [](const std::string& word) { return word.starts_with("-"); });
        if (unknown != extras.end()) complain(fmt::format("tocuda {}: unknown option '{}'{}", verb, *unknown, suggestion(*unknown, names)));
        else complain(fmt::format("tocuda {}: {}", verb, error.what()));
        return usage;
    }
};

Arguments::Arguments(const std::string& name, const std::string& summary, const std::vector<std::string>& examples)
    : parser(std::make_unique<Parser>(name, summary)) {
    auto formatter = std::make_shared<Formatter>();
    formatter->column_width(24);
    parser->app.formatter(formatter);
    parser->app.get_help_ptr()->description("print this and end");
    std::string footer = "Examples:";
    for (const auto& example : examples) footer += "\n  tocuda " + name + (example.empty() ? "" : " ") + example;
    parser->app.footer(footer);
}

Arguments::~Arguments() = default;

void Arguments::flag(const std::string& name, bool& value, const std::string& help) { parser->app.add_flag(name, value, help); }

void Arguments::option(const std::string& name, std::string& value, const std::string& help, const std::string& kind, Presence presence) {
    parser->app.add_option(name, value, help)->type_name(kind)->required(presence == Presence::required);
}

void Arguments::option(const std::string& name, std::vector<std::string>& values, const std::string& help, Presence presence) {
    parser->app.add_option(name, values, help)->type_name("")->required(presence == Presence::required);
}

void Arguments::option(const std::string& name, int& value, int least, int most, const std::string& help, const std::string& kind) {
    parser->app.add_option(name, value, help)->check(CLI::Range(least, most).description(""))->type_name(kind);
}

void Arguments::option(const std::string& name, double& value, const std::string& help, const std::string& kind) {
    parser->app.add_option(name, value, help)->check(CLI::Range(1e-9, 1e9).description(""))->type_name(kind);
}

int Arguments::refuse(const std::string& what) const {
    complain(fmt::format("tocuda {}: {}", parser->verb, what));
    return usage;
}

std::optional<int> Arguments::parse(const Words& words) {
    Words backwards(words.rbegin(), words.rend());  // as CLI11 wants them
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
