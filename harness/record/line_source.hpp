// tocuda, Apache-2.0.
// Splits a byte stream into lines in bounded memory: reads one block at a time and refuses lines longer than any that
// tocuda writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "model/problem.hpp"

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

}  // namespace tocuda
