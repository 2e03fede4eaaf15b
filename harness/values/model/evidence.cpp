// tocuda, Apache-2.0.
#include "model/evidence.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace tocuda {
namespace {

std::string signal_name(int number) {
    constexpr std::array<std::pair<int, const char*>, 10> names{{{1, "SIGHUP"},
                                                                 {2, "SIGINT"},
                                                                 {4, "SIGILL"},
                                                                 {6, "SIGABRT"},
                                                                 {7, "SIGBUS"},
                                                                 {8, "SIGFPE"},
                                                                 {9, "SIGKILL"},
                                                                 {11, "SIGSEGV"},
                                                                 {13, "SIGPIPE"},
                                                                 {15, "SIGTERM"}}};
    for (const auto& [known, name] : names)
        if (known == number) return std::to_string(number) + " (" + name + ")";
    return std::to_string(number);
}

template <class Type>
const Type& held(const Evidence& evidence, std::string_view key, const char* type) {
    for (const auto& observation : evidence.observations) {
        if (observation.key != key) continue;
        if (!observation.computed) throw Undecided("'" + std::string(key) + "' rests on values that no GPU computed");
        if (const auto* value = std::get_if<Type>(&observation.value.held)) return *value;
        throw Undecided("evidence '" + std::string(key) + "' is not " + type);
    }
    throw Undecided("'" + std::string(key) + "' was not recorded");
}

}  // namespace

std::string describe_end(const Outcome& outcome) {
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), " after %.2f s", outcome.seconds);
    std::string text;
    if (outcome.ended == "not_started") text = "was not started";
    else if (outcome.ended == "signal") text = "ended by signal " + signal_name(outcome.code) + seconds.data();
    else if (outcome.ended == "timeout") text = std::string("still ran at its deadline, ended") + seconds.data();
    else text = "exit code " + std::to_string(outcome.code) + seconds.data();
    return outcome.stopped.empty() ? text : text + ": " + outcome.stopped;
}

std::string describe_end(const Evidence& evidence) {
    constexpr std::size_t enough = 160;
    auto text = evidence.stderr_tail;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    text.erase(0, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    if (text.size() > enough) text = text.substr(0, enough) + " ...";
    return describe_end(evidence.outcome) + (text.empty() ? "" : "; last line of stderr: " + text);
}

const Value* Evidence::find(std::string_view key) const {
    for (const auto& observation : observations)
        if (observation.key == key) return &observation.value;
    return nullptr;
}

bool Evidence::flag(std::string_view key) const { return held<bool>(*this, key, "true or false"); }

std::int64_t Evidence::integer(std::string_view key) const { return held<std::int64_t>(*this, key, "a whole number"); }

double Evidence::number(std::string_view key) const {
    const auto* value = find(key);
    if (value && std::holds_alternative<std::int64_t>(value->held)) return static_cast<double>(integer(key));
    return held<double>(*this, key, "a number");
}

const std::string& Evidence::text(std::string_view key) const { return held<std::string>(*this, key, "a text"); }

const Values& Evidence::list(std::string_view key) const { return held<Values>(*this, key, "a list"); }

}  // namespace tocuda
