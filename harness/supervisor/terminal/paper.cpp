// tocuda, Apache-2.0.
#include "terminal/paper.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

namespace tocuda {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::size_t columns_of_stdout() {
    const auto set = variable("COLUMNS");
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(set.data(), set.data() + set.size(), columns);
    winsize size{};
    const bool is_set = error == std::errc() && end == set.data() + set.size() && columns > 0;
    if (!is_set && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns > 0 ? std::clamp(columns, paper_columns, widest_paper) : paper_columns;
}

bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const auto locale = variable(name); !locale.empty())
            return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
    return false;
}

}  // namespace

std::string Paper::dye(std::string_view text, const char* code) const {
    return surface.coloured ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string Paper::in_colour_of(Verdict verdict, std::string_view text) const {
    switch (verdict) {
        case Verdict::reproduced:
            return dye(text, "32");
        case Verdict::refuted:
            return dye(text, "36");
        case Verdict::partial:
            return dye(text, "33");
        case Verdict::broken:
            return alarming(text);
        default:
            return faint(text);
    }
}

std::string Paper::word_of(ChangeVerdict verdict) const {
    switch (verdict) {
        case ChangeVerdict::slower:
            return dye(word(verdict), "31;1");
        case ChangeVerdict::faster:
            return dye(word(verdict), "32");
        case ChangeVerdict::likely_slower:
            return dye("likely", "31");
        case ChangeVerdict::likely_faster:
            return dye("likely", "32");
        case ChangeVerdict::undecided:
            return dye(word(verdict), "33");
        default:
            return dye(word(verdict), "2");
    }
}

std::string Paper::alarming(std::string_view text) const { return dye(text, "31;1"); }
std::string Paper::strong(std::string_view text) const { return dye(text, "1"); }
std::string Paper::faint(std::string_view text) const { return dye(text, "2"); }

Paper paper_for_stdout() {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    const bool coloured = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
    return Paper(Surface{columns_of_stdout(), coloured, terminal, locale_is_utf8()});
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

std::string wrap(std::string_view text, std::size_t first_column, std::size_t indent, std::size_t columns) {
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
        if (!line_begins && column + 1 + columns_of(word) > columns) begin_line();
        if (!line_begins) {
            result += ' ';
            ++column;
        }
        while (columns_of(word) > columns - column && columns_of(word) == word.size()) {
            const auto room = columns - column;
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
