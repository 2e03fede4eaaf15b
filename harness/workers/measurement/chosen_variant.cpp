// tocuda, Apache-2.0.
// Searches the table linearly, because it has few entries.
#include "measurement/chosen_variant.hpp"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace tocuda {
namespace {

Value value_of(const std::string& word) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{} && end == word.data() + word.size()) return number;
    return word;
}

}  // namespace

const ChosenVariant& chosen_variant(std::string_view operation, int capability, std::span<const ChosenVariant> table) {
    const ChosenVariant* found = nullptr;
    const ChosenVariant* lowest = nullptr;
    for (const auto& each : table) {
        if (each.operation != operation) continue;
        if (!lowest || each.capability < lowest->capability) lowest = &each;
        if (each.capability <= capability && (!found || each.capability > found->capability)) found = &each;
    }
    if (!lowest) throw std::logic_error("no variant is listed for '" + std::string(operation) + "'");
    return found ? *found : *lowest;
}

Parameters parameters_of(const ChosenVariant& chosen) {
    Parameters parameters;
    std::istringstream words{std::string(chosen.parameters)};
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        if (equals == std::string::npos) throw std::logic_error("expected NAME=VALUE, not '" + word + "'");
        parameters[word.substr(0, equals)] = value_of(word.substr(equals + 1));
    }
    return parameters;
}

Flag flag_of(const ChosenVariant& chosen) {
    auto choice = std::string(chosen.variant);
    if (!chosen.parameters.empty()) (choice += " ") += chosen.parameters;
    return {std::string(chosen_flag), choice + ", " + std::string(chosen.source)};
}

}  // namespace tocuda
