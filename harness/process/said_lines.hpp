// tocuda, Apache-2.0.
// What a child says, cut into lines as it comes in pieces, up to a limit. A child is not trusted to end its lines, or to end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tocuda {

class SaidLines {
public:
    static constexpr std::size_t longest_line = std::size_t{16} << 20;
    static constexpr std::size_t longest_torn = 200;

    explicit SaidLines(std::int64_t limit) : limit_bytes(limit) {}

    // Once it has found fault it hears nothing more.
    void hear(std::string_view piece, const std::function<void(std::string_view line)>& on_line);

    const std::string& fault() const { return wrong; }  // "said more than 64 MiB on descriptor 3"; empty for none
    std::string torn() const { return pending.substr(0, longest_torn); }

private:
    std::int64_t limit_bytes;
    std::int64_t heard_bytes = 0;
    std::string pending;
    std::string wrong;
};

// The last 4 KiB of a text that comes in pieces.
class Tail {
public:
    static constexpr std::size_t kept = 4096;

    void hear(std::string_view piece);
    std::string text() const;  // where something was cut off before it, it does not begin inside a character

private:
    std::string end;
    bool cut = false;
};

}  // namespace tocuda
