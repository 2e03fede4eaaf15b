// tocuda, Apache-2.0.
// Text for people: 80 columns, colour only where it is wanted, a verdict as a word besides its colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/comparison.hpp"
#include "model/verdict.hpp"

namespace tocuda {

inline constexpr std::size_t paper_columns = 80;

// Below a table, for who reads no standard error.
inline constexpr auto not_whole = "NOT WHOLE: stopped before the end\n";

class Paper {
public:
    explicit Paper(bool colour) : coloured(colour) {}

    std::string word_of(Verdict verdict) const;
    std::string word_of(ChangeVerdict verdict) const;
    std::string strong(std::string_view text) const;
    std::string faint(std::string_view text) const;

private:
    std::string dye(std::string_view text, const char* code) const;

    bool coloured;
};

// Colour on a terminal, unless NO_COLOR is set.
Paper paper_for_stdout();

// Breaks at spaces; a word that is longer than the line is cut. Each line after the first begins with `indent`.
std::string wrap(std::string_view text, std::size_t first_column, std::size_t indent);

// Columns that a text takes: bytes of UTF-8 sequences count once, escape codes not at all.
std::size_t columns_of(std::string_view text);
std::string pad(std::string text, std::size_t columns);

}  // namespace tocuda
