// tocuda, Apache-2.0.
#include "record/record_reader.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "json_lines/dom.hpp"
#include "json_lines/lines.hpp"
#include "json_lines/visible.hpp"
#include "record/digest.hpp"
#include "record/other_tools.hpp"

namespace tocuda {
namespace {

constexpr int newest_schema = 1;

// Interprets the lines one after the other.
class Reader {
public:
    Reader(Reading how, RecordVisitor& whom) : reading(how), visitor(whom) {}

    Expected<void> take(const LineSource::Line& line) {
        ++place.line;
        place.text = line.text;
        place.offset = line.offset;
        if (place.line == 1 && place.text.starts_with("\xEF\xBB\xBF"))
            return problem("begins with a byte order mark; a result file has none: remove these three bytes");
        if (line.torn) return torn();
        auto read = interpret();
        if (read || reading != Reading::exhaustive || !section_was) return read;
        read_over(read.error().what);
        return {};
    }

    // Call after the last line.
    void finish() {
        if (section) tell_end(std::nullopt, "");
    }

    int line() const { return place.line; }
    bool began() const { return section_was; }

private:
    Expected<void> interpret() {
        const auto taken = parser.take(place.text);
        if (!taken && can_be_left_out() && looks_like_a_measurement()) {
            add_to_section();
            leave_out(taken.error().what);
            return {};
        }
        if (!taken) return taken;
        if (parser.kind() == "run") return begin();
        if (!section)
            return problem("a '" + std::string(parser.kind()) + "' line " +
                           (section_was ? "after the section's end" : "before any run line"));
        if (parser.kind() == "end") return close();
        add_to_section();
        return row();
    }

    bool can_be_left_out() const { return section && reading == Reading::lenient; }
    bool looks_like_a_measurement() const { return place.text.starts_with(R"({"kind":"measurement")"); }

    void add_to_section() {
        add_line();
        ++section->rows;
    }

    void add_line() {
        digest.add(place.text);
        digest.add("\n");
        if (ends_in_crlf && place.text.ends_with('\r')) {
            digest_with_lf.add(place.text.substr(0, place.text.size() - 1));
            digest_with_lf.add("\n");
        } else {
            ends_in_crlf = false;
        }
        section->size += place.text.size() + 1;
        section->line = place.line;
    }

    Expected<void> torn() {
        if (!section_was) return problem("the run line is incomplete: the file was cut off");
        visitor.flaw(Flaw::torn, place.line, "the last line is incomplete: the file was cut off");
        return {};
    }

    // Rows after a damaged run line belong to no section: one flaw covers all of them.
    void read_over(const std::string& wrong) {
        const bool begins = place.text.starts_with(R"({"kind":"run")");
        if (begins && section) tell_end(std::nullopt, "");
        if (section && !place_is_counted()) add_to_section();
        if (!astray) visitor.flaw(Flaw::left_out, place.line, wrong);
        astray = astray || begins;
    }

    bool place_is_counted() const { return section->line == place.line; }

    void leave_out(const std::string& wrong) { visitor.flaw(Flaw::left_out, place.line, wrong + "; row skipped"); }

    Expected<void> row() {
        if (parser.kind() == "measurement") {
            const auto read = parser.to(measured);
            if (read) visitor.measurement(measured, place);
            else if (reading == Reading::lenient || newer) leave_out(read.error().what);
            else return read;
        } else if (parser.kind() == "scenario") {
            const auto read = row_line(place.text);
            if (read) visitor.scenario(*read, place);
            else if (newer) leave_out(read.error().what);
            else return problem(read.error());
        } else {
            visitor.other(parser.kind(), place);
        }
        return {};
    }

    Expected<void> begin() {
        const auto run = run_line(place.text);
        if (!run) return problem(run.error());
        if (section) tell_end(std::nullopt, "");
        newer = run->schema > newest_schema;
        const auto schema = fmt::format("schema {}", run->schema);
        if (newer)
            visitor.flaw(Flaw::newer, place.line,
                         schema + " is newer than this tocuda supports; unknown parts are skipped");
        digest = Digest();
        digest_with_lf = Digest();
        ends_in_crlf = true;
        section = SectionEnd{.begin = place.offset};
        begin_line = place.line;
        astray = false;
        section_was = true;
        of_run = run->run.substr(0, 8);
        add_line();
        visitor.run(*run, place);
        return {};
    }

    // A wrong checksum reveals damage and careless edits; the section is still read.
    Expected<void> close() {
        auto end = end_line(place.text);
        if (!end) return problem(end.error());
        auto sha256 = digest.hex();
        if (end->sha256 != sha256)
            visitor.flaw(Flaw::altered, place.line,
                         ends_in_crlf && end->sha256 == digest_with_lf.hex()
                             ? "the lines end in CR LF; with LF the section is unaltered"
                             : "the checksum does not match: the section was altered or damaged");
        add_line();
        tell_end(*std::move(end), std::move(sha256));
        return {};
    }

    void tell_end(std::optional<EndLine> end, std::string sha256) {
        section->whole = digest.hex();
        section->sha256 = end ? std::move(sha256) : section->whole;
        if (!end)
            visitor.flaw(Flaw::partial, begin_line, "the section of run " + of_run + " has no end line: it is partial");
        section->end = std::move(end);
        visitor.end(*section);
        section.reset();
    }

    Reading reading;
    RecordVisitor& visitor;
    LineParser parser{};
    Digest digest{};
    Digest digest_with_lf{};
    bool ends_in_crlf = false;  // all lines of the section so far
    MeasurementRow measured{};
    LinePlace place{};
    std::optional<SectionEnd> section{};
    int begin_line = 0;
    bool section_was = false;
    bool newer = false;
    bool astray = false;
    std::string of_run{};
};

// `beginning` reads the first bytes again, which are seldom needed.
Expected<void> read_lines(LineSource& source, const std::string& name, Reading reading, RecordVisitor& visitor,
                          const std::function<std::string()>& beginning) {
    Reader reader(reading, visitor);
    const auto stop_at = [&](int line, const std::string& why) -> Expected<void> {
        if (!reader.began())
            if (const auto other = why_no_record(beginning(), visible(name)); !other.empty())
                return problem(at_line(name, 0, other));
        if (reading != Reading::exhaustive) return problem(at_line(name, line, why));
        visitor.flaw(Flaw::left_out, line, why);
        return {};
    };
    for (;;) {
        const auto line = source.next();
        if (!line) return stop_at(reader.line() + 1, line.error().what);
        if (!*line) break;
        if (const auto taken = reader.take(**line); !taken) return stop_at(reader.line(), taken.error().what);
    }
    if (reader.line() == 0) return problem(at_line(name, 0, "empty: a result file begins with a run line"));
    reader.finish();
    return {};
}

std::optional<std::string> why_no_file(const struct stat& facts) {
    if (S_ISDIR(facts.st_mode)) return "a folder, not a result file";
    if (!S_ISREG(facts.st_mode)) return "not a regular file";
    return std::nullopt;
}

}  // namespace

LineSource::LineSource(Read read_block, std::size_t block) : read(std::move(read_block)), room(block + line_padding) {}

// Moves the unread bytes to the front and appends one block; the buffer grows when one line fills it.
// Returns false at the end of the file.
Expected<bool> LineSource::fill() {
    if (at_end) return false;
    std::copy(room.begin() + static_cast<std::ptrdiff_t>(begin), room.begin() + static_cast<std::ptrdiff_t>(end),
              room.begin());
    end -= std::exchange(begin, 0);
    const auto usable = room.size() - line_padding;
    if (end == usable && usable >= longest_line)
        return problem(fmt::format("line longer than {} MiB", longest_line >> 20U));
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

std::string at_line(const std::filesystem::path& file, int line, const std::string& what) {
    return visible(file.string()) + ":" + (line > 0 ? fmt::format("{}:", line) : "") + " " + what;
}

Expected<void> read_record(const std::filesystem::path& file, Reading reading, RecordVisitor& visitor) {
    const auto refuse = [&](const std::string& why) { return problem(at_line(file, 0, why)); };
    // O_NONBLOCK: opening a pipe would otherwise wait for a writer.
    const OpenFile opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts{};
    if (opened.number < 0 || ::fstat(opened.number, &facts) != 0) return refuse(std::strerror(errno));
    if (const auto why = why_no_file(facts)) return refuse(*why);
    auto left = static_cast<std::uint64_t>(facts.st_size);
    LineSource source([&](char* room, std::size_t size) -> std::ptrdiff_t {
        for (;;) {
            const auto got = ::read(opened.number, room, std::min<std::uint64_t>(size, left));
            if (got < 0 && errno == EINTR) continue;
            left -= got > 0 ? static_cast<std::uint64_t>(got) : left;
            return got;
        }
    });
    return read_lines(source, file.string(), reading, visitor, [&] {
        std::string begin(telling_bytes, '\0');
        begin.resize(static_cast<std::size_t>(
            std::max(::pread(opened.number, begin.data(), begin.size(), 0), std::ptrdiff_t{0})));
        return begin;
    });
}

Expected<void> read_record_bytes(std::string_view bytes, const std::string& name, Reading reading,
                                 RecordVisitor& visitor, std::size_t block) {
    const auto begin = bytes.substr(0, telling_bytes);
    LineSource source(
        [&](char* room, std::size_t size) {
            const auto part = std::min(size, bytes.size());
            if (part > 0) std::memcpy(room, bytes.data(), part);
            bytes.remove_prefix(part);
            return static_cast<std::ptrdiff_t>(part);
        },
        block);
    return read_lines(source, name, reading, visitor, [&] { return std::string(begin); });
}

}  // namespace tocuda
