// tocuda, Apache-2.0.
#include "command/start_noise.hpp"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "model/words.hpp"
#include "request/selection.hpp"

namespace tocuda {
namespace {

constexpr double most_percent = 50;

std::optional<double> percent_of(std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    double percent = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return percent > 0 && percent <= most_percent ? std::optional(percent) : std::nullopt;
}

}  // namespace

Expected<AssumedNoise> assumed_noise(const std::string& list) {
    std::vector<std::pair<std::string, double>> known;  // by pattern; empty: all
    for (const auto& item : parts_of(list, ',')) {
        const auto equals = item.rfind('=');
        const auto percent = percent_of(std::string_view(item).substr(equals == std::string::npos ? 0 : equals + 1));
        if (!percent || equals == 0)
            return problem("--start-noise: '" + item + "' is no percentage above 0 and up to 50, nor PATTERN=PERCENT");
        known.emplace_back(equals == std::string::npos ? "" : item.substr(0, equals), *percent / 100);
    }
    return [known](const std::string& benchmark) {
        std::optional<double> noise;
        for (const auto& [pattern, part] : known)
            if (pattern.empty() || names_benchmark(pattern, benchmark)) noise = part;
        return noise;
    };
}

Expected<ComparisonRules> rules_with_margin(const std::string& margin) {
    ComparisonRules rules;
    if (margin.empty()) return rules;
    const auto percent = percent_of(margin);
    if (!percent) return problem("--margin: '" + margin + "' is no percentage above 0 and up to 50");
    rules.margin = *percent / 100;
    return rules;
}

}  // namespace tocuda
