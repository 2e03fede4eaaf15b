// tocuda, Apache-2.0.
#include "command/paper.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace tocuda {

std::string Paper::dye(std::string_view text, const char* code) const {
    return coloured ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string Paper::word_of(Verdict verdict) const {
    switch (verdict) {
        case Verdict::reproduced:
            return dye(word(verdict), "32");
        case Verdict::refuted:
            return dye(word(verdict), "36");
        case Verdict::partial:
            return dye(word(verdict), "33");
        case Verdict::broken:
            return dye(word(verdict), "31;1");
        default:
            return dye(word(verdict), "2");
    }
}

std::string Paper::word_of(ChangeVerdict verdict) const {
    switch (verdict) {
        case ChangeVerdict::slower:
            return dye(word(verdict), "31;1");
        case ChangeVerdict::faster:
            return dye(word(verdict), "32");
        case ChangeVerdict::undecided:
            return dye(word(verdict), "33");
        default:
            return dye(word(verdict), "2");
    }
}

std::string Paper::strong(std::string_view text) const { return dye(text, "1"); }
std::string Paper::faint(std::string_view text) const { return dye(text, "2"); }

Paper paper_for_stdout() {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool wanted = (!no_colour || !*no_colour) && (!terminal || std::string_view(terminal) != "dumb");
    return Paper(wanted && ::isatty(STDOUT_FILENO) == 1);
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    bool escape = false;
    for (const char c : text) {
        if (c == '\x1b') escape = true;
        else if (escape) escape = c != 'm';
        else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++columns;
    }
    return columns;
}

std::string pad(std::string text, std::size_t columns) {
    const auto has = columns_of(text);
    return has < columns ? text + std::string(columns - has, ' ') : text;
}

std::string wrap(std::string_view text, std::size_t first_column, std::size_t indent) {
    std::istringstream words{std::string(text)};
    std::string result;
    std::size_t column = first_column;
    bool line_begins = true;
    for (std::string word; words >> word;) {
        const auto begin_line = [&] {
            result += "\n" + std::string(indent, ' ');
            column = indent;
            line_begins = true;
        };
        if (!line_begins && column + 1 + columns_of(word) > paper_columns) begin_line();
        if (!line_begins) {
            result += ' ';
            ++column;
        }
        while (columns_of(word) > paper_columns - column && columns_of(word) == word.size()) {
            const auto room = paper_columns - column;
            result += word.substr(0, room);
            word.erase(0, room);
            begin_line();
        }
        result += word;
        column += columns_of(word);
        line_begins = false;
    }
    return result;
}

}  // namespace tocuda
