// tocuda, Apache-2.0.
#include <algorithm>

#include "model/row.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

struct InWords {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return std::to_string(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Values& values) const {
        return joined(values, ", ", [](const auto& value) { return std::visit(InWords{}, value.held); });
    }
};

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

bool agrees(const Value& value, const Difference& known, const std::string& version) {
    const auto said = std::visit(InWords{}, value.held);
    const auto& own = known.says.at(version);
    if (!std::holds_alternative<std::string>(value.held) && !std::holds_alternative<Values>(value.held))
        return said == own;
    if (!own.empty()) return has(said, own);
    return std::none_of(known.says.begin(), known.says.end(),
                        [&](const auto& other) { return !other.second.empty() && has(said, other.second); });
}

bool concerns(const Difference& known, const std::string& variant) {
    return known.variants.empty() ||
           std::find(known.variants.begin(), known.variants.end(), variant) != known.variants.end();
}

}  // namespace

std::string minor_version(const std::string& version) {
    const auto dot = version.find('.');
    const auto end = version.find_first_not_of("0123456789", dot == std::string::npos ? 0 : dot + 1);
    return version.substr(0, end);
}

std::vector<SeenDifference> seen_differences(const std::vector<Difference>& known, const std::string& variant,
                                             const std::string& version, const Evidence& evidence) {
    std::vector<SeenDifference> seen;
    for (const auto& difference : known) {
        const auto* value = evidence.find(difference.key);
        if (!value || !concerns(difference, variant)) continue;
        SeenDifference one{difference, minor_version(version)};
        if (difference.says.contains(one.libtorch)) one.agrees = agrees(*value, difference, one.libtorch);
        seen.push_back(std::move(one));
    }
    return seen;
}

}  // namespace tocuda
