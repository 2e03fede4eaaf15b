// tocuda, Apache-2.0.
#include "model/known_values.hpp"

#include <algorithm>

namespace tocuda {
namespace {

const Allowed& allowed_for(const Benchmark& benchmark, const std::string& parameter) {
    static const Allowed any;
    const auto found = benchmark.allowed.find(parameter);
    return found == benchmark.allowed.end() ? any : found->second;
}

bool is_word(const Value& value) { return std::holds_alternative<std::string>(value.held); }

}  // namespace

Values known_values(const Benchmark& benchmark, const std::string& parameter) {
    Values known;
    const auto add = [&](const Value& value) {
        if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
    };
    for (const auto* sweep : {&benchmark.parameters, &benchmark.quick, &benchmark.full}) {
        const auto found = sweep->find(parameter);
        if (found != sweep->end()) std::ranges::for_each(found->second, add);
    }
    for (const auto& value : allowed_for(benchmark, parameter).only)
        if (is_word(value)) add(value);
    return known;
}

std::string why_not_allowed(const Benchmark& benchmark, const std::string& parameter, const Value& value) {
    if (is_word(value)) return why_not_among(parameter, value, known_values(benchmark, parameter));
    const auto* number = std::get_if<std::int64_t>(&value.held);
    return number ? why_not_allowed(parameter, *number, allowed_for(benchmark, parameter)) : "";
}

}  // namespace tocuda
