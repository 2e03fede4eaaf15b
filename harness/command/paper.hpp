// tocuda, Apache-2.0.
// Formats text for people: 80 columns, colour only if wanted, verdicts as words besides their colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/comparison.hpp"
#include "model/verdict.hpp"

namespace tocuda {

inline constexpr std::size_t paper_columns = 80;

// Printed below a table, for readers who do not see standard error.
inline constexpr auto not_whole = "INCOMPLETE: stopped before the end\n";

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

// Breaks at spaces; a word longer than the line is cut. Each line after the first is indented by `indent`.
std::string wrap(std::string_view text, std::size_t first_column, std::size_t indent);

// Returns the columns that a text takes: a UTF-8 sequence counts once, an escape code not at all.
std::size_t columns_of(std::string_view text);
std::string pad(std::string text, std::size_t columns);

}  // namespace tocuda
