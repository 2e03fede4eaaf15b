// tocuda, Apache-2.0.
#include "model/allowed.hpp"

#include <algorithm>

#include "model/parameter_values.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

std::string listed(const Values& values) {
    return joined(values, ", ", [](const auto& value) { return plain(value); });
}

bool is_among(const Value& value, const Values& values) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

bool is_allowed(std::int64_t value, const Allowed& allowed) {
    if (!allowed.only.empty()) return is_among(value, allowed.only);
    if (value == 0 && allowed.or_zero) return true;
    return value >= allowed.least && value <= allowed.most && value % allowed.multiple_of == 0;
}

}  // namespace

std::string in_words(const Allowed& allowed) {
    if (!allowed.only.empty()) return "one of " + listed(allowed.only);
    std::string text = allowed.or_zero ? "0, or " : "";
    if (allowed.most != Allowed::no_most)
        text += "between " + std::to_string(allowed.least) + " and " + std::to_string(allowed.most);
    else if (allowed.least > 0 && (allowed.multiple_of == 1 || allowed.least != allowed.multiple_of))
        text += "at least " + std::to_string(allowed.least);
    if (allowed.multiple_of == 1) return text;
    return text + (text.empty() || text.ends_with(' ') ? "" : " and ") + "a multiple of " +
           std::to_string(allowed.multiple_of);
}

std::string why_not_allowed(const std::string& name, std::int64_t value, const Allowed& allowed) {
    if (is_allowed(value, allowed)) return "";
    return name + " must be " + in_words(allowed) + ", not " + std::to_string(value) +
           (allowed.because.empty() ? "" : ": " + allowed.because);
}

std::string why_not_among(const std::string& name, const Value& value, const Values& only) {
    return is_among(value, only) ? "" : name + " must be one of " + listed(only) + ", not " + plain(value);
}

}  // namespace tocuda
