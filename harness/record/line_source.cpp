// tocuda, Apache-2.0.
#include "record/line_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lines/line_parser.hpp"

namespace tocuda {

LineSource::LineSource(Read from, std::size_t block) : read(std::move(from)), room(block + line_padding) {}

// Moves the unread bytes to the front and appends one block; the buffer grows when one line fills it.
// Returns false at the end of the file.
Expected<bool> LineSource::fill() {
    if (at_end) return false;
    std::copy(room.begin() + static_cast<std::ptrdiff_t>(begin), room.begin() + static_cast<std::ptrdiff_t>(end),
              room.begin());
    end -= std::exchange(begin, 0);
    const auto usable = room.size() - line_padding;
    if (end == usable && usable >= longest_line)
        return problem("line longer than " + std::to_string(longest_line >> 20U) + " MiB");
    if (end == usable) room.resize(2 * usable + line_padding);
    const auto got = read(room.data() + end, room.size() - line_padding - end);
    if (got < 0) return problem(std::string("cannot be read: ") + std::strerror(errno));
    at_end = got == 0;
    end += static_cast<std::size_t>(got);
    return !at_end;
}

Expected<std::optional<LineSource::Line>> LineSource::next() {
    std::size_t looked = 0;
    for (;;) {
        const auto* const from = room.data() + begin + looked;
        const auto* const newline = static_cast<const char*>(std::memchr(from, '\n', end - begin - looked));
        if (newline) {
            const Line line{{room.data() + begin, newline}, taken, false};
            begin += line.text.size() + 1;
            taken += line.text.size() + 1;
            return line;
        }
        looked = end - begin;
        const auto filled = fill();
        if (!filled) return problem(filled.error());
        if (*filled) continue;
        if (begin == end) return std::nullopt;
        const Line rest{{room.data() + begin, end - begin}, taken, true};
        taken += rest.text.size();
        begin = end;
        return rest;
    }
}

}  // namespace tocuda
