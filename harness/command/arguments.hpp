// tocuda, Apache-2.0.
// The command line of one verb: errors in one line with the nearest name, help that ends with examples. CLI11 stays
// behind it: it costs 8 s in each file that sees it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/verb.hpp"

namespace tocuda {

class Arguments {
public:
    Arguments(const std::string& verb, const std::string& summary, const std::vector<std::string>& examples);
    ~Arguments();
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    enum class Presence { optional, required };

    // A name with dashes ("--output") is an option, one without ("FILE") a word that stands by itself. `kind` names the
    // value: DIR.
    void flag(const std::string& name, bool& value, const std::string& help);
    void option(const std::string& name, std::string& value, const std::string& help, const std::string& kind,
                Presence presence = Presence::optional);
    void option(const std::string& name, std::vector<std::string>& values, const std::string& help,
                Presence presence = Presence::optional);
    void option(const std::string& name, int& value, int least, int most, const std::string& help,
                const std::string& kind);
    void option(const std::string& name, double& value, const std::string& help,
                const std::string& kind);  // above zero

    // The exit code where the verb is not to run: help was asked for, or the words are wrong.
    std::optional<int> parse(const Words& words);
    // Says what is wrong with the words, in one line; returns the exit code.
    int refuse(const std::string& what) const;

private:
    struct Parser;
    std::unique_ptr<Parser> parser;
};

}  // namespace tocuda
