// tocuda, Apache-2.0.
#include "doctor/message/excerpt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace tocuda::doctor {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 9> units{{{"bytes", 1},
                                                                    {"KiB", 1024},
                                                                    {"MiB", 1048576},
                                                                    {"GiB", 1073741824},
                                                                    {"TiB", 1099511627776},
                                                                    {"KB", 1024},
                                                                    {"MB", 1048576},
                                                                    {"GB", 1073741824},
                                                                    {"TB", 1099511627776}}};

std::string_view without_spaces_before(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ':')) text.remove_prefix(1);
    return text;
}

// "1.50 GiB..." in bytes.
std::optional<std::int64_t> amount_at(std::string_view text) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (read.ec != std::errc{} || number < 0) return std::nullopt;
    const auto rest = without_spaces_before(text.substr(static_cast<std::size_t>(read.ptr - text.data())));
    for (const auto& [name, bytes] : units)
        if (rest.starts_with(name) && number * bytes < 9e18) return std::llround(number * bytes);
    return std::nullopt;
}

}  // namespace

bool contains(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](auto one) { return contains(text, one); });
}

bool is_said_to_be_false(std::string_view text, std::size_t at) {
    auto answer = text.substr(at + is_available_call.size(), 40);
    const auto skip = [&](std::string_view letters) {
        answer.remove_prefix(std::min(answer.find_first_not_of(letters), answer.size()));
    };
    const auto skip_signs = [&] {
        skip(" \t\r\n:)=->`'\"");
        while (!answer.empty() && static_cast<unsigned char>(answer.front()) >= 0x80) answer.remove_prefix(1);
    };
    skip_signs();  // and words of other languages
    for (const std::string_view word : {"returns", "returned", "return", "is", "was", "gives", "says"})
        if (answer.starts_with(word)) {
            answer.remove_prefix(word.size());
            break;
        }
    skip_signs();
    return answer.starts_with("False") || answer.starts_with("false");
}

bool contains_any_word(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) {
        auto at = text.find(word);
        while (at != std::string_view::npos && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0)
            at = text.find(word, at + 1);
        return at != std::string_view::npos;
    });
}

std::string_view text_near(std::string_view text, std::size_t at, std::size_t before, std::size_t after) {
    const auto from = at < before ? 0 : at - before;
    return text.substr(from, at - from + after);
}

std::string_view line_around(std::string_view text, std::size_t at) {
    constexpr std::size_t most = 4096;  // each way: a log may be one line
    const auto from = at < most ? 0 : at - most;
    const auto before = text.substr(from, at - from).find_last_of("\r\n");
    const auto begin = before == std::string_view::npos ? from : from + before + 1;
    const auto end = std::min({text.find_first_of("\r\n", at), text.size(), at + most});
    return text.substr(begin, end - begin);
}

std::string quote(std::string_view text, std::size_t at) {
    constexpr std::size_t most = 300;
    constexpr std::size_t before = 100;
    auto line = line_around(text, at);
    const auto place = static_cast<std::size_t>(text.data() + at - line.data());
    std::string begin, end;
    if (line.size() > most && place > before) {
        line.remove_prefix(place - before);
        begin = "...";
    }
    if (line.size() > most) {
        line = line.substr(0, most);
        end = "...";
    }
    auto quoted = begin + std::string(line) + end;
    std::ranges::replace_if(quoted, [](unsigned char each) { return each < ' ' || each == 0x7f; }, ' ');
    quoted.erase(0, std::min(quoted.find_first_not_of(' '), quoted.size()));
    quoted.erase(quoted.find_last_not_of(' ') + 1);
    return quoted;
}

bool is_mention(std::string_view line) {
    constexpr auto signs = std::to_array<std::string_view>(
        {"NCCL INFO", " INFO ", "INFO:", "[INFO]", " DEBUG ", "DEBUG:", "[DEBUG]", "dso_loader", "cudart_stub", "[I "});
    const bool raised = contains(line, "UserWarning: ") || contains(line, "RuntimeError: ");  // what a log repeats
    return !(raised && contains(line, "DEBUG")) &&
           std::ranges::any_of(signs, [&](auto sign) { return contains(line, sign); });
}

bool is_warning(std::string_view line) {
    // Said at every build without a GPU, or outside of Visual Studio's prompt.
    if (contains(line, "No CUDA runtime is found, using CUDA_HOME") ||
        contains(line, "Error checking compiler version for cl"))
        return true;
    return contains(line, "WARNING ") && !contains(line, "UserWarning") && !contains(line, "NCCL WARN");
}

bool is_said_by_cuda(std::string_view text, std::size_t at) {
    constexpr std::size_t before = 150;
    const auto line = line_around(text, at);
    const auto place = static_cast<std::size_t>(text.data() + at - line.data());
    const auto near = text_near(line, place, before, 60);
    const auto has = [&](std::string_view words) { return contains(near, words); };
    const bool of_cuda = has("uda") || has("CUDA") || has("THC");
    const bool of_file = has(".cu:") || has(".cu(") || has("GPUassert");  // as programs of one's own print it
    if (of_file && !has(": error:") && !has("HIP")) return true;
    const bool fails = has("rror") || has("ERROR") || has("ail") || has("FAIL");
    return of_cuda && fails && !has("HIP");
}

bool is_last_error_of_nccl(std::string_view text, std::size_t at) {
    constexpr std::size_t lines = 400;  // two, each with a prefix
    return contains(text_near(text, at, lines, 0), "Last error:") && contains(line_around(text, at), "Cuda failure");
}

std::string flattened(std::string_view text, std::size_t most) {
    constexpr std::string_view bar = "\xe2\x94\x82";  // U+2502
    std::string flat;
    text = text.substr(0, most);
    while (!text.empty()) {
        const bool barred = text.starts_with(bar);
        const bool white = barred || std::string_view(" \t\r\n\v\f").find(text.front()) != std::string_view::npos;
        if (!white) flat += text.front();
        else if (!flat.empty() && flat.back() != ' ') flat += ' ';
        text.remove_prefix(barred ? bar.size() : 1);
    }
    return flat;
}

std::optional<std::string_view> between(std::string_view text, std::string_view label, std::string_view end) {
    const auto found = text.find(label);
    if (found == std::string_view::npos) return std::nullopt;
    text.remove_prefix(found + label.size());
    const auto last = text.find(end);
    if (last == std::string_view::npos) return std::nullopt;
    return text.substr(0, last);
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view label) {
    const auto found = text.find(label);
    if (found == std::string_view::npos) return std::nullopt;
    text = without_spaces_before(text.substr(found + label.size()));
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return std::nullopt;
    return number;
}

std::optional<std::int64_t> amount_after(std::string_view text, std::string_view label) {
    const auto found = text.find(label);
    if (found == std::string_view::npos) return std::nullopt;
    return amount_at(without_spaces_before(text.substr(found + label.size())));
}

std::optional<std::int64_t> amount_before(std::string_view text, std::string_view label) {
    const auto found = text.find(label);
    if (found == std::string_view::npos) return std::nullopt;
    const auto unit = text.find_last_of(' ', found == 0 ? 0 : found - 1);
    if (unit == std::string_view::npos || unit == 0) return std::nullopt;
    const auto number = text.find_last_not_of("0123456789.", unit - 1);
    return amount_at(text.substr(number == std::string_view::npos ? 0 : number + 1));
}

std::string amount_text(std::int64_t bytes) {
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    for (std::size_t unit = 1; unit < 4; ++unit)
        if (static_cast<double>(bytes) < units[unit + 1].second || unit == 3)
            return fmt::format("{:.2f} {}", static_cast<double>(bytes) / units[unit].second, units[unit].first);
    return {};
}

std::string cuda_text(std::int64_t version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string_view word_before(std::string_view text, std::size_t end) {
    const auto begin = text.substr(0, end).find_last_of(" \t\r\n'\"");
    return text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                       end - (begin == std::string_view::npos ? 0 : begin + 1));
}

}  // namespace tocuda::doctor
