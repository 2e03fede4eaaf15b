// tocuda, Apache-2.0.
#include "doctor/message/dump_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace tocuda::doctor {
namespace {

bool is_digit_letter(char letter) { return letter >= '0' && letter <= '9'; }
bool is_word_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

// How much of the text has the form: 0 is any digit, each other letter is itself; nothing if it differs.
std::size_t length_of_form(std::string_view text, std::string_view form) {
    if (text.size() < form.size()) return 0;
    for (std::size_t at = 0; at < form.size(); ++at)
        if (form[at] == '0' ? !is_digit_letter(text[at]) : text[at] != form[at]) return 0;
    return form.size();
}

// "2025-07-28T15:07:12.123Z", "2025-07-28 15:07:12,123", "15:07:12"
std::size_t length_of_time(std::string_view text) {
    std::size_t length = 0;
    for (const std::string_view form :
         {"0000-00-00T00:00:00", "0000-00-00 00:00:00", "0000/00/00 00:00:00", "00:00:00"})
        if (length == 0) length = length_of_form(text, form);
    if (length == 0) return 0;
    const auto fraction = text.find_first_not_of("0123456789.,", length);
    if (fraction == std::string_view::npos) return text.size();
    const auto rest = text.substr(fraction);
    for (const std::string_view zone : {"Z", "+00:00", "-00:00", "+0000", "-0000"})
        if (const auto more = zone == "Z" ? std::size_t{rest.front() == 'Z'} : length_of_form(rest, zone); more > 0)
            return fraction + more;
    return rest.front() == ' ' || rest.front() == ':' ? fraction : 0;
}

// "[rank0]:", "[pod/trainer-0/main]", "[2025-07-28 15:07:12]", but not "[pip3] torch==2.6.0"
std::size_t length_of_brackets(std::string_view text) {
    constexpr std::size_t longest = 80;
    if (!text.starts_with('[') || text.starts_with("[pip") || text.starts_with("[conda")) return 0;
    const auto end = text.substr(0, longest).find(']');
    if (end == std::string_view::npos) return 0;
    return end + (end + 1 < text.size() && text[end + 1] == ':' ? 2 : 1);
}

// "(LLMEngine pid=2347640, ip=10.58.226.15)" of Ray
std::size_t length_of_process(std::string_view text) {
    constexpr std::size_t longest = 80;
    const auto end = text.substr(0, longest).find(')');
    if (!text.starts_with('(') || end == std::string_view::npos) return 0;
    return text.substr(0, end).find(" pid=") != std::string_view::npos ? end + 1 : 0;
}

// "trainer-1  | " of docker compose; the first letter of a table's row is its bar.
std::size_t length_of_service(std::string_view text) {
    const auto name = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (name == 0 || name == std::string_view::npos || text[name] != ' ') return 0;
    if (std::none_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(name),
                     [](char each) { return std::islower(static_cast<unsigned char>(each)) != 0; }))
        return 0;
    const auto bar = text.find_first_not_of(' ', name);
    return bar != std::string_view::npos && text[bar] == '|' ? bar + 1 : 0;
}

// "INFO stdout:", "> ", "# ", "- "
std::size_t length_of_sign(std::string_view text) {
    constexpr auto words = std::to_array<std::string_view>(
        {"INFO", "DEBUG", "WARNING", "ERROR", "stdout", "stderr", "&gt;", ">", "#", "-", "*", "//"});
    for (const auto word : words) {
        if (!text.starts_with(word)) continue;
        const auto rest = text.substr(word.size());
        if (rest.empty() || rest.front() == ' ') return word.size();
        if (is_word_letter(word.front()) && rest.front() == ':') return word.size() + 1;
        if (word == ">") return 1;
    }
    return 0;
}

}  // namespace

std::string_view stripped(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::string_view without_prefixes(std::string_view line) {
    constexpr int most = 8;
    line = stripped(line);
    for (int done = 0; done < most && !line.empty(); ++done) {
        const auto length = std::max({length_of_time(line), length_of_brackets(line), length_of_process(line),
                                      length_of_service(line), length_of_sign(line)});
        if (length == 0) return line;
        line = stripped(line.substr(length));
    }
    return line;
}

Lines plain_lines(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (const auto plain = without_prefixes(text.substr(0, end)); !plain.empty()) lines.push_back(plain);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::optional<std::string_view> value_of_key(std::string_view line, std::string_view key) {
    constexpr std::string_view wide_colon = "\xef\xbc\x9a";
    for (auto at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
        if (at > 0 && is_word_letter(line[at - 1])) continue;
        auto rest = line.substr(at + key.size());
        while (!rest.empty() && (rest.front() == ' ' || rest.front() == '*' || rest.front() == '\t'))
            rest.remove_prefix(1);
        if (rest.starts_with(':')) return stripped(rest.substr(1));
        if (rest.starts_with(wide_colon)) return stripped(rest.substr(wide_colon.size()));
    }
    return std::nullopt;
}

std::string_view bus_address_in(std::string_view line) {
    constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";
    for (auto colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
        if (colon < 2 || line.size() < colon + 5 || line[colon + 3] != '.' || !is_digit_letter(line[colon + 4]))
            continue;
        if (line.substr(colon + 1, 2).find_first_not_of(hexadecimal) != std::string_view::npos) continue;
        auto begin = colon;
        while (begin > 0 && (hexadecimal.find(line[begin - 1]) != std::string_view::npos || line[begin - 1] == ':'))
            --begin;
        const auto address = line.substr(begin, colon + 5 - begin);
        const auto digits = address.find(':');
        const bool has_domain = std::ranges::count(address, ':') == 2;
        const bool begins = begin == 0 || !is_word_letter(line[begin - 1]);
        const bool ends = colon + 5 == line.size() || !is_word_letter(line[colon + 5]);
        if (begins && ends && (has_domain ? digits >= 4 : digits == 2)) return address;
    }
    return "";
}

bool is_version(std::string_view value) {
    const auto dot = value.find('.');
    return dot != std::string_view::npos && dot > 0 && dot + 1 < value.size() && is_digit_letter(value.front()) &&
           is_digit_letter(value[dot + 1]);
}

std::pair<int, int> version_of(std::string_view value) {
    std::pair<int, int> numbers{0, 0};
    const auto* const end = value.data() + value.size();
    const auto major = std::from_chars(value.data(), end, numbers.first);
    if (major.ec == std::errc{} && major.ptr != end && *major.ptr == '.')
        std::from_chars(major.ptr + 1, end, numbers.second);
    return numbers;
}

std::string_view leading_version(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
}

}  // namespace tocuda::doctor
