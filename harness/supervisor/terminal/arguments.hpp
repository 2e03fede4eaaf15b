// tocuda, Apache-2.0.
// Parses the command line of one verb. Errors are one line with the nearest name; help ends with examples. No
// library does this, because `doctor` is also compiled alone, without any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tocuda {

using Words = std::vector<std::string>;

class Arguments {
public:
    Arguments(const std::string& verb, const std::string& summary, const std::vector<std::string>& examples);
    ~Arguments();
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    enum class Presence { optional, required };

    // A name with dashes ("--output") is an option, one without ("FILE") is positional. `kind` names the value in the
    // help: DIR.
    void flag(const std::string& name, bool& value, const std::string& help);
    void option(const std::string& name, std::string& value, const std::string& help, const std::string& kind,
                Presence presence = Presence::optional);
    void option(const std::string& name, std::vector<std::string>& values, const std::string& help,
                Presence presence = Presence::optional);
    void option(const std::string& name, int& value, int least, int most, const std::string& help,
                const std::string& kind);
    void option(const std::string& name, double& value, const std::string& help,
                const std::string& kind);  // a time above zero: "90" seconds, "20m", "1.5h"

    // The verb has exit codes of its own: "0 it fits; 1 it does not".
    void exits(const std::string& codes);

    // Returns the exit code if the verb must not run: help was requested, or the arguments are wrong.
    std::optional<int> parse(const Words& words);
    // Prints what is wrong with the arguments, in one line; returns the exit code.
    int refuse(const std::string& what) const;

private:
    struct Parser;
    std::unique_ptr<Parser> parser;
};

}  // namespace tocuda
