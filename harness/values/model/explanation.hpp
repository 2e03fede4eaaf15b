// tocuda, Apache-2.0.
// What an error text says: which error it is, what it means, its figures, and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tocuda::doctor {

// A number that the text contains or that follows from it.
struct Figure {
    std::string name;  // "requested"
    std::int64_t value = 0;
    std::string unit{};  // "bytes"; empty for a code, an index or a count

    bool operator==(const Figure&) const = default;
};

// What a remedy changes, from nothing to what other people are doing.
enum class Scope { look, command, environment, machine, others };

constexpr std::string_view word(Scope scope) {
    switch (scope) {
        case Scope::look:
            return "nothing";
        case Scope::command:
            return "this command";
        case Scope::environment:
            return "this environment";
        case Scope::machine:
            return "this machine";
        case Scope::others:
            return "other people's work";
    }
    return "";
}

struct Remedy {
    std::string what;  // a command to type, or a step
    Scope scope = Scope::command;

    Remedy(std::string text, Scope hits = Scope::command) : what(std::move(text)), scope(hits) {}
    Remedy(std::string_view text, Scope hits = Scope::command) : what(text), scope(hits) {}
    Remedy(const char* text, Scope hits = Scope::command) : what(text), scope(hits) {}
    bool operator==(const Remedy&) const = default;
};

struct Explanation {
    std::string error;                      // "CUDA out of memory"
    std::size_t line = 0;                   // of the text, from 1
    std::string quoted;                     // that line, printable; shortened if it is very long
    std::string meaning;                    // one or two sentences
    bool harmless = false;                  // nothing has failed
    bool certain = true;                    // the text says so itself; otherwise it is the most frequent cause
    std::vector<Figure> figures{};          // in the order of the text
    std::vector<std::string> arithmetic{};  // sentences that compute with the figures
    std::vector<std::string> claims{};      // ids of claims whose scenarios show this error
    std::vector<Remedy> remedies{};         // the most promising first; never one first that hits others
};

}  // namespace tocuda::doctor
