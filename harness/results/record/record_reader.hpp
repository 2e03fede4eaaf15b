// tocuda, Apache-2.0.
// Reads a result file line by line in bounded memory and reports each valid line, and everything wrong with the file,
// to a visitor.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json_lines/lines.hpp"
#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"

namespace tocuda {

// A child may write up to 64 MiB, which is recorded as one line.
inline constexpr std::size_t longest_line = std::size_t{128} << 20U;

class LineSource {
public:
    // Fills the start of the buffer and returns the number of bytes: 0 at the end, negative on failure (see errno).
    using Read = std::function<std::ptrdiff_t(char* room, std::size_t size)>;

    explicit LineSource(Read read, std::size_t block = std::size_t{1} << 18U);

    struct Line {
        // Without the newline; valid until the next call; `line_padding` bytes after it are readable.
        std::string_view text{};
        std::uint64_t offset = 0;
        bool torn = false;  // no newline at the end: the line was never finished, even if it parses
    };
    // Returns nullopt at the end of the file.
    Expected<std::optional<Line>> next();

private:
    Expected<bool> fill();

    Read read;
    std::vector<char> room;
    std::size_t begin = 0;    // of the current line, in the buffer
    std::size_t end = 0;      // of the bytes read
    std::uint64_t taken = 0;  // bytes of the file before `begin`
    bool at_end = false;
};

// Returns "FILE:LINE: what", or "FILE: what" for line 0.
std::string at_line(const std::filesystem::path& file, int line, const std::string& what);

struct LinePlace {
    int line = 0;              // in the file, from 1
    std::string_view text{};   // without the newline; valid during the call
    std::uint64_t offset = 0;  // of the first byte
};

struct SectionEnd {
    std::optional<EndLine> end{};  // nullopt: the section is partial
    int line = 0;                  // of the end line, or of the last line of a partial section
    int rows = 0;                  // of every kind
    std::uint64_t begin = 0;       // of the section: whole lines, starting with the run line
    std::uint64_t size = 0;
    std::string sha256{};  // of all bytes before the end line
    std::string whole{};   // of all bytes, including the end line and its newline

    bool altered() const { return end && end->sha256 != sha256; }
};

enum class Flaw {
    left_out,  // a line or row was skipped
    torn,
    partial,
    altered,
    newer,
};

// Called for each section in order: run(), the rows, end(). end() is called for partial sections too.
struct RecordVisitor {
    RecordVisitor() = default;
    RecordVisitor(const RecordVisitor&) = delete;
    RecordVisitor& operator=(const RecordVisitor&) = delete;
    virtual ~RecordVisitor() = default;

    virtual void run(const RunLine& /*run*/, const LinePlace& /*place*/) {}
    virtual void measurement(const MeasurementRow& /*row*/, const LinePlace& /*place*/) {}
    virtual void scenario(const Row& /*row*/, const LinePlace& /*place*/) {}
    // Rows of another verb or a newer version.
    virtual void other(std::string_view /*kind*/, const LinePlace& /*place*/) {}
    virtual void end(const SectionEnd& /*end*/) {}
    // Something was skipped. Line 0: the whole file.
    virtual void warning(int /*line*/, const std::string& /*what*/) {}
    virtual void flaw(Flaw /*flaw*/, int line, const std::string& what) { warning(line, what); }
};

// strict: stops at the first invalid line. lenient: skips damaged measurements with a warning, because the many others
// are still valid. exhaustive: reports every invalid line as a flaw and continues after the first run line. In all
// modes, unknown parts of sections with a newer schema are skipped.
enum class Reading { strict, lenient, exhaustive };

// Fails with "FILE:LINE: why". The size is fixed when the file is opened; anything appended later is not read.
Expected<void> read_record(const std::filesystem::path& file, Reading reading, RecordVisitor& visitor);

// The same for bytes in memory, read in blocks of the given size. Messages name `name` instead of a file.
Expected<void> read_record_bytes(std::string_view bytes, const std::string& name, Reading reading,
                                 RecordVisitor& visitor, std::size_t block = std::size_t{1} << 16U);

// Owns a file descriptor and closes it; negative: not open.
struct OpenFile {
    int number;
    explicit OpenFile(int opened) : number(opened) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace tocuda
