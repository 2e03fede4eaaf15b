// tocuda, Apache-2.0.
// Parses lines one after the other in the same memory, to avoid an allocation for each row of a long file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/measurement.hpp"
#include "model/problem.hpp"

namespace tocuda {

// This many bytes after a line must be readable, whatever their content.
inline constexpr std::size_t line_padding = 64;

class LineParser {
public:
    LineParser();
    ~LineParser();
    LineParser(LineParser&&) noexcept;
    LineParser& operator=(LineParser&&) noexcept;

    // Parses a line, which must be one JSON object with a `kind` and without duplicate keys.
    Expected<void> take(std::string_view padded);

    // These refer to the line that was last taken.
    std::string_view kind() const;
    Expected<void> to(MeasurementRow& row) const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed;
};

}  // namespace tocuda
