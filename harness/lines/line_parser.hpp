// tocuda, Apache-2.0.
// Lines parsed one after the other in the same memory: reading a file of many rows costs no allocation for each.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/benchmark.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// So many bytes behind a line must be readable, whatever they hold.
inline constexpr std::size_t line_padding = 64;

class LineParser {
public:
    LineParser();
    ~LineParser();
    LineParser(LineParser&&) noexcept;
    LineParser& operator=(LineParser&&) noexcept;

    // What is wrong with the line, or nothing: then it is one object of JSON that has a `kind`, and in which no key
    // stands twice.
    std::string take(std::string_view padded);

    // Of the line that was taken, until the next is.
    std::string_view kind() const;
    std::string to(MeasurementRow& row) const;  // what is wrong, or nothing
    std::string to(Samples& samples) const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed;
};

}  // namespace tocuda
