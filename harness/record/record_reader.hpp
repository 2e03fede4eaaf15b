// tocuda, Apache-2.0.
// A result file line by line, in bounded memory: a visitor is told of each line that reads well, and of what is wrong
// with the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "lines/run_line.hpp"
#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/row.hpp"

namespace tocuda {

// FILE:LINE: what is wrong, for a file that cannot be read.
struct Unreadable {
    std::string what{};
    int line = 0;       // 0: the whole file
    std::string why{};  // without the place
};

// "FILE:LINE: what"; of line 0 "FILE: what".
std::string at_line(const std::filesystem::path& file, int line, const std::string& what);

struct LinePlace {
    int line = 0;              // in the file, from 1
    std::string_view text{};   // without its newline; valid during the call
    std::uint64_t offset = 0;  // of its first byte
};

struct SectionEnd {
    std::optional<EndLine> end{};  // none: the section is partial
    int line = 0;                  // of the end line, or of the last line of a partial section
    int rows = 0;                  // that stand in it, whatever their kind
    std::uint64_t begin = 0;       // its bytes: whole lines, from the run line on
    std::uint64_t size = 0;
    std::string sha256{};  // of every byte before the end line
    std::string whole{};   // of every byte, the end line with its newline too

    bool altered() const { return end && end->sha256 != sha256; }
};

enum class Flaw {
    left_out,  // a line or what stands in it
    torn,
    partial,
    altered,
    newer,
};

// Each section is a run, its rows, and an end: also that of a partial one is told.
struct RecordVisitor {
    RecordVisitor() = default;
    RecordVisitor(const RecordVisitor&) = delete;
    RecordVisitor& operator=(const RecordVisitor&) = delete;
    virtual ~RecordVisitor() = default;

    virtual void run(const RunLine& /*run*/, const LinePlace& /*place*/) {}
    virtual void measurement(const MeasurementRow& /*row*/, const LinePlace& /*place*/) {}
    virtual void scenario(const Row& /*row*/, const LinePlace& /*place*/) {}
    virtual void other(std::string_view /*kind*/, const LinePlace& /*place*/) {
    }  // another verb's rows, or a newer version's
    virtual void end(const SectionEnd& /*end*/) {}
    // What was read over. Line 0: the whole file.
    virtual void warning(int /*line*/, const std::string& /*what*/) {}
    virtual void flaw(Flaw /*flaw*/, int line, const std::string& what) { warning(line, what); }
};

// strict: the first line that is wrong ends it. lenient: a damaged measurement is left out with a warning: what a
// thousand others say still counts. exhaustive: every wrong line behind the first run line is a flaw, and the next is
// read. A section of a newer schema is read as far as it is understood in any case.
enum class Reading { strict, lenient, exhaustive };

// What is wrong with the file, or nothing. Its size is fixed when it is opened: what is written behind that is not
// read.
std::optional<Unreadable> read_record(const std::filesystem::path& file, Reading reading, RecordVisitor& visitor);

// The same of bytes that are at hand, read in blocks of a size. `name` stands where the file's would.
std::optional<Unreadable> read_record_bytes(std::string_view bytes, const std::string& name, Reading reading,
                                            RecordVisitor& visitor, std::size_t block = std::size_t{1} << 16U);

}  // namespace tocuda
