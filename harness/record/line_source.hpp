// tocuda, Apache-2.0.
// Bytes in, lines out, in bounded memory: a block is read at a time, and a line that is longer than any of ours is
// refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// A child may say 64 MiB, and what it said becomes one line.
inline constexpr std::size_t longest_line = std::size_t{128} << 20U;

class LineSource {
public:
    // Fills the first bytes of the room and says how many: 0 at the end, below 0 where it failed (errno tells why).
    using Read = std::function<std::ptrdiff_t(char* room, std::size_t size)>;

    explicit LineSource(Read read, std::size_t block = std::size_t{1} << 18U);

    struct Line {
        std::string_view
            text{};  // without its newline; valid until the next is taken; `line_padding` bytes behind it are readable
        std::uint64_t offset = 0;
        bool torn = false;  // no newline at its end: it may read well and was yet never finished
    };
    std::optional<Line> next();

    // Why there is no next line, where that is not the end of the file.
    const std::string& wrong() const { return fault; }

private:
    bool fill();

    Read read;
    std::vector<char> room;
    std::size_t begin = 0;    // of the line at hand, in the room
    std::size_t end = 0;      // of what was read
    std::uint64_t taken = 0;  // bytes before `begin`, from the beginning of the file
    bool at_end = false;
    std::string fault{};
};

}  // namespace tocuda
