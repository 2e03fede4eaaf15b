// tocuda, Apache-2.0.
// Cuts a child's output into lines, up to a limit, and keeps the tail of another stream. A child may never end its
// lines, or never stop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tocuda {

// Formats an amount of memory: "200 MiB", "1.5 GiB".
std::string amount_of_bytes(std::int64_t bytes);

class SaidLines {
public:
    static constexpr std::size_t longest_line = std::size_t{16} << 20;
    static constexpr std::size_t longest_torn = 200;

    explicit SaidLines(std::int64_t limit) : limit_bytes(limit) {}

    // Ignores its input after a fault.
    void hear(std::string_view piece, const std::function<void(std::string_view line)>& on_line);

    const std::string& fault() const { return wrong; }  // "wrote more than 64 MiB to descriptor 3"; empty for none
    std::string torn() const { return pending.substr(0, longest_torn); }

private:
    std::int64_t limit_bytes;
    std::int64_t heard_bytes = 0;
    std::string pending;
    std::string wrong;
};

// Keeps the last 4 KiB of a text that arrives in pieces.
class Tail {
public:
    static constexpr std::size_t kept = 4096;

    void hear(std::string_view piece);
    std::string text() const;  // never begins inside a UTF-8 character if the start was cut off

private:
    std::string end;
    bool cut = false;
};

}  // namespace tocuda
