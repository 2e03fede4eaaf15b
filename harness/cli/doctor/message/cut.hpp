// tocuda, Apache-2.0.
// Texts that were cut off in the middle of an error's words, as by copying.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {

struct Completion {
    const KnownError* error = nullptr;
    std::size_t at = 0;       // of the words that are there
    std::size_t letters = 0;  // how many are there
    std::size_t missing = 0;  // and how many are not
    std::string text{};       // with the error's words in full
};

// The errors whose words a text ends or begins within, or that it is a part of: the most likely first. Empty if there
// are so many that the text does not tell which one it was.
std::vector<Completion> completions_of(std::string_view text, const std::vector<KnownError>& known);

// The words at the end of a text that break off within a word of an error, however few: "Expec"; empty if there are
// none.
std::string_view cut_words_in(std::string_view text);

}  // namespace tocuda::doctor
