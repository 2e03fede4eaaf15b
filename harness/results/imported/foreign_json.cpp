// tocuda, Apache-2.0.
#include "imported/foreign_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/words.hpp"

namespace tocuda::imported {
namespace {

// Where a JSON object begins and ends in a text; if it was cut off, where its last whole value ends and what closes it.
struct Extent {
    std::size_t begin = std::string_view::npos;
    std::size_t end = 0;
    std::string closing{};
    bool cut = false;
};

// It begins a line: warnings may hold braces, too.
std::size_t first_brace(std::string_view text) {
    if (text.starts_with('{')) return 0;
    const auto found = text.find("\n{");
    return found == std::string_view::npos ? found : found + 1;
}

class Scanner {
public:
    explicit Scanner(std::string_view output) : text(output), extent{.begin = first_brace(output)} {}

    Extent scan() {
        if (extent.begin == std::string_view::npos) return extent;
        for (std::size_t at = extent.begin; at < text.size(); ++at)
            if (take(at)) return extent;
        extent.closing.assign(closers.begin(), closers.begin() + static_cast<std::ptrdiff_t>(whole_depth));
        std::reverse(extent.closing.begin(), extent.closing.end());
        extent.cut = true;
        return extent;
    }

private:
    bool take(std::size_t& at) {
        const char letter = text[at];
        if (letter == '"') skip_string(at);
        if (letter == '{' || letter == '[') closers.push_back(letter == '{' ? '}' : ']');
        if (letter == ',' && !closers.empty()) whole_until(at);
        if (letter != '}' && letter != ']') return false;
        if (!closers.empty()) closers.pop_back();
        whole_until(at + 1);
        return closers.empty();
    }
    void skip_string(std::size_t& at) const {
        for (++at; at < text.size() && text[at] != '"'; ++at)
            if (text[at] == '\\') ++at;
    }
    void whole_until(std::size_t end) {
        extent.end = end;
        whole_depth = closers.size();
    }

    std::string_view text;
    Extent extent;
    std::vector<char> closers{};
    std::size_t whole_depth = 0;
};

std::string line_of(std::string_view text, std::size_t at) {
    const auto until = text.substr(0, at);
    return fmt::format(":{}", std::count(until.begin(), until.end(), '\n') + 1);
}

[[noreturn]] void refuse(std::string_view text) {
    try {
        std::ignore = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& wrong) {
        const std::string said = wrong.what();
        const auto what = said.find("syntax error");
        throw Unreadable(line_of(text, std::min<std::size_t>(wrong.byte, text.size())),
                         ": not JSON: " + (what == std::string::npos ? said : said.substr(what)));
    }
    throw Unreadable("", ": not a JSON object");
}

// Some tools print numbers that JSON does not have. They are no values.
std::string without_nan(std::string_view text) {
    constexpr auto words =
        std::to_array<std::string_view>({"-Infinity", "Infinity", "-inf", "inf", "-nan", "nan", "NaN"});
    std::string plain;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '"') in_string = !in_string;
        const auto rest = text.substr(at);
        const auto* const word =
            in_string ? words.end() : std::ranges::find_if(words, [&](auto each) { return rest.starts_with(each); });
        if (word != words.end()) {
            plain += "null";
            at += word->size() - 1;
            continue;
        }
        plain += letter;
        if (in_string && letter == '\\' && at + 1 < text.size()) plain += text[++at];
    }
    return plain;
}

}  // namespace

Unreadable Unreadable::within(const std::string& outer) const {
    return {place.empty() || place.starts_with('[') ? outer + place : outer + "." + place, rest};
}

bool Document::parse(std::string_view text) {
    padded.assign(text);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    Element root;
    return parser.parse(padded.data(), text.size(), false).get(root) == simdjson::SUCCESS &&
           root.get(top) == simdjson::SUCCESS;
}

Document::Document(std::string_view text) {
    if (parse(text)) return;
    if (const auto plain = without_nan(text); plain != text && parse(plain)) return;
    const auto extent = Scanner(text).scan();
    if (extent.begin == std::string_view::npos) refuse(text);
    if (const auto second = text.find("\n{", extent.end); !extent.cut && second != std::string_view::npos)
        throw Unreadable(line_of(text, second + 1), ": another document begins: one is expected in each file");
    auto body = std::string(text.substr(extent.begin, extent.end > extent.begin ? extent.end - extent.begin : 0));
    if (extent.cut) cut = text.size();
    body += extent.closing;
    if (!parse(body) && !parse(without_nan(body))) refuse(text.substr(extent.begin));
}

void lacks(std::string_view name) { throw Unreadable(std::string(name), " is missing"); }

void expect(std::string_view name, const std::string& what) {
    throw Unreadable(std::string(name), ": " + what + " is expected");
}

std::optional<Element> find(const Object& object, std::string_view name) {
    Element found;
    if (object.at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
    return found;
}

std::optional<std::string> text_if_any(const Object& object, std::string_view name) {
    const auto found = find(object, name);
    if (!found) return std::nullopt;
    std::string_view text;
    if (found->get(text) != simdjson::SUCCESS) expect(name, "a text");
    return std::string(text);
}

std::string text(const Object& object, std::string_view name) {
    const auto found = text_if_any(object, name);
    if (!found) lacks(name);
    return *found;
}

std::optional<double> number_in(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<double> number_if_any(const Object& object, std::string_view name) {
    const auto found = find(object, name);
    if (!found) return std::nullopt;
    double number = 0;
    if (found->get(number) == simdjson::SUCCESS) return number;
    std::string_view text;
    if (found->get(text) == simdjson::SUCCESS)
        if (const auto held = number_in(text)) return held;
    expect(name, "a number");
}

double number(const Object& object, std::string_view name) {
    const auto found = number_if_any(object, name);
    if (!found) lacks(name);
    return *found;
}

std::optional<std::int64_t> whole_if_any(const Object& object, std::string_view name) {
    const auto found = find(object, name);
    if (!found) return std::nullopt;
    std::int64_t number = 0;
    if (found->get(number) == simdjson::SUCCESS) return number;
    std::string_view text;
    if (found->get(text) == simdjson::SUCCESS)
        if (const auto held = whole_number(text)) return held;
    expect(name, "a whole number");
}

std::int64_t whole(const Object& object, std::string_view name) {
    const auto found = whole_if_any(object, name);
    if (!found) lacks(name);
    return *found;
}

Object object_in(const Element& element) {
    Object object;
    if (element.get(object) != simdjson::SUCCESS) throw Unreadable("", ": an object is expected");
    return object;
}

}  // namespace tocuda::imported
