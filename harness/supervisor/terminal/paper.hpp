// tocuda, Apache-2.0.
// Formats text for people: as wide as the terminal (80 to 140 columns), colour only if wanted, verdicts as words
// besides their colour.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/comparison.hpp"
#include "model/judgement.hpp"

namespace tocuda {

inline constexpr std::size_t paper_columns = 80;  // where nothing else is known
inline constexpr std::size_t widest_paper = 140;  // wider lines are hard to read

// Printed below a table, for readers who do not see standard error.
inline constexpr auto not_whole = "INCOMPLETE: stopped before the end\n";

// The words that people read; files and documents keep those of word().
constexpr std::string_view plain_word(Verdict verdict) {
    constexpr std::array<std::string_view, 6> words{"true", "false", "partly", "open", "skipped", "broken"};
    return words[static_cast<std::size_t>(verdict)];
}

// What text is printed on.
struct Surface {
    std::size_t columns = paper_columns;
    bool coloured = false;
    bool terminal = false;  // a person is looking: a screenful is enough
    bool utf8 = false;
};

class Paper {
public:
    explicit Paper(bool colour) : Paper(Surface{.coloured = colour}) {}
    explicit Paper(const Surface& what) : surface(what) {}

    std::size_t columns() const { return surface.columns; }
    bool is_terminal() const { return surface.terminal; }
    std::string_view ellipsis() const { return surface.utf8 ? "\u2026" : "..."; }

    std::string word_of(Verdict verdict) const { return in_colour_of(verdict, plain_word(verdict)); }
    std::string in_colour_of(Verdict verdict, std::string_view text) const;
    std::string word_of(ChangeVerdict verdict) const;  // of a likely one: "likely", the rest stands beneath
    std::string alarming(std::string_view text) const;
    std::string strong(std::string_view text) const;
    std::string faint(std::string_view text) const;

private:
    std::string dye(std::string_view text, const char* code) const;

    Surface surface;
};

// As wide as COLUMNS or the terminal says; colour on a terminal, unless NO_COLOR is set; UTF-8 if the locale has it.
Paper paper_for_stdout();

// Breaks at spaces; a word longer than the line is cut. Each line after the first is indented by `indent`.
std::string wrap(std::string_view text, std::size_t first_column, std::size_t indent,
                 std::size_t columns = paper_columns);

// Returns the columns that a text takes: a UTF-8 sequence counts once, an escape code not at all.
std::size_t columns_of(std::string_view text);
std::string pad(std::string text, std::size_t columns);

}  // namespace tocuda
