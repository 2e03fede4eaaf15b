// tocuda, Apache-2.0.
#include "doctor/message/cut.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "doctor/message/excerpt.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::size_t fewest = 11;  // letters that tell one error from others
constexpr std::string_view white = " \t\r\n";

char small(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
bool in_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }
bool is_same(std::string_view one, std::string_view other) { return std::ranges::equal(one, other, {}, small, small); }

// Without white space and the dots that stand for what was left out.
std::string_view without_end(std::string_view text) {
    const auto trim = [&] { text = text.substr(0, text.find_last_not_of(white) + 1); };
    trim();
    for (const std::string_view dots : {"...", "\xe2\x80\xa6"})
        while (text.ends_with(dots)) text.remove_suffix(dots.size());
    trim();
    return text;
}

bool is_of_gpus(std::string_view words) {
    std::string lower(words);
    std::ranges::transform(lower, lower.begin(), small);
    return contains_any(
        lower, {"cuda", "gpu", "torch", "tensor", "nvidia", "nccl", "nvml", "kernel", "device", "tried to allocate"});
}

// Between whole words a text may as well end: there it has to be about GPUs.
bool breaks_off(std::string_view words, std::size_t end) {
    return (in_word(words[end - 1]) && in_word(words[end])) || is_of_gpus(words.substr(0, end));
}

// Likewise for what begins at that place of the words. "MemoryError" is within "OutOfMemoryError", and whole.
bool begins_late(std::string_view text, std::string_view words, std::size_t begin) {
    const bool within_word = in_word(words[begin - 1]) && std::islower(static_cast<unsigned char>(text.front())) != 0;
    return within_word || (in_word(text.front()) && is_of_gpus(text));
}

// The text ends with the first letters of the words.
std::optional<Completion> completed_at_end(std::string_view text, std::string_view words) {
    for (auto letters = std::min(text.size(), words.size() - 1); letters >= fewest; --letters) {
        const auto at = text.size() - letters;
        if (!is_same(text.substr(at), words.substr(0, letters))) continue;
        if (at > 0 && in_word(text[at - 1]) && in_word(words.front())) continue;
        if (!breaks_off(words, letters)) continue;
        return Completion{.at = at,
                          .letters = letters,
                          .missing = words.size() - letters,
                          .text = std::string(text.substr(0, at)).append(words)};
    }
    return std::nullopt;
}

// It begins with most of them.
std::optional<Completion> completed_at_begin(std::string_view text, std::string_view words) {
    const auto most = std::min(text.size(), words.size() - 1), least = std::max(fewest, words.size() / 2);
    for (auto letters = most; letters >= least; --letters) {
        if (!is_same(text.substr(0, letters), words.substr(words.size() - letters))) continue;
        if (letters < text.size() && in_word(text[letters]) && in_word(words.back())) continue;
        if (!begins_late(text.substr(0, letters), words, words.size() - letters)) continue;
        return Completion{.at = 0,
                          .letters = letters,
                          .missing = words.size() - letters,
                          .text = std::string(words).append(text.substr(letters))};
    }
    return std::nullopt;
}

// It is in the midst of them.
std::optional<Completion> completed_around(std::string_view text, std::string_view words) {
    if (text.size() < fewest) return std::nullopt;
    const auto same = [](char one, char other) { return small(one) == small(other); };
    const auto found = std::search(words.begin(), words.end(), text.begin(), text.end(), same);
    const auto begin = static_cast<std::size_t>(found - words.begin());
    if (found == words.end() || begin == 0 || begin + text.size() == words.size()) return std::nullopt;
    if (!begins_late(text, words, begin) && !breaks_off(words, begin + text.size())) return std::nullopt;
    return Completion{
        .at = 0, .letters = text.size(), .missing = words.size() - text.size(), .text = std::string(words)};
}

bool is_likelier(const Completion& one, const Completion& other) {
    if (one.letters != other.letters) return one.letters > other.letters;
    const bool of_cuda = contains(one.text, "CUDA");
    return of_cuda != contains(other.text, "CUDA") ? of_cuda : one.missing < other.missing;
}

}  // namespace

std::vector<Completion> completions_of(std::string_view text, const std::vector<KnownError>& known) {
    constexpr std::size_t most = 3, longest = 1000;
    text = without_end(text);
    const auto begin = std::min(text.find_first_not_of(white), text.size());
    const auto whole = text.substr(begin);
    const auto line = text.find_last_of("\r\n") == std::string_view::npos ? 0 : text.find_last_of("\r\n") + 1;
    const auto last = std::max(line, text.size() - std::min(text.size(), longest));
    std::vector<Completion> all;
    for (const auto& error : known)
        for (const std::string_view words : error.needles) {
            auto one = completed_at_end(text.substr(last), words);
            if (one) {
                one->at += last;
                one->text.insert(0, text.substr(0, last));
            }
            if (!one) one = completed_at_begin(whole, words);
            if (!one) one = completed_around(whole, words);
            if (!one) continue;
            one->error = &error;
            all.push_back(*std::move(one));
        }
    std::ranges::stable_sort(all, is_likelier);
    std::size_t errors = 0;
    const KnownError* before = nullptr;
    for (const auto& one : all) {
        if (one.letters < all.front().letters) break;
        errors += one.error != before ? 1 : 0;
        before = one.error;
    }
    return errors > most ? std::vector<Completion>{} : all;
}

std::string_view cut_words_in(std::string_view text) {
    constexpr std::size_t enough = 3;
    text = without_end(text);
    text = text.substr(text.find_last_of("\r\n") + 1);  // npos + 1 is 0
    if (const auto colon = text.rfind(": "); colon != std::string_view::npos) text.remove_prefix(colon + 2);
    if (text.size() < enough) return "";
    for (const auto& error : all_known_errors())
        for (const std::string_view words : error.needles)
            if (words.size() > text.size() && is_same(words.substr(0, text.size()), text) &&
                in_word(words[text.size()]) && in_word(text.back()))
                return text;
    return "";
}

}  // namespace tocuda::doctor
