// tocuda, Apache-2.0.
// Formats and parses sizes, times and rates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"
#include "model/problem.hpp"

namespace tocuda {

// Parses "64MiB", "1.5GiB" or "4096" to bytes. An error suggests what may have been meant.
Expected<std::int64_t> amount_of(std::string_view text);

std::string exact_amount(std::int64_t bytes);  // "64 MiB"; "1000 B" if no larger unit is exact
std::string rounded_amount(double bytes);      // "112 KiB"
// "1446 MiB", "51.53 GiB": near to where a program runs out of memory, two digits are not enough.
std::string amount_to_mib(std::int64_t bytes);
std::string four_digits(double value);          // significant ones; none before the decimal point is dropped
std::string seconds_text(double seconds);       // "12.34 us"
std::string gigabytes_text(double per_second);  // in 10^9 bytes a second, four digits: "55.63"
std::string percent_text(double part);          // of 0.0123: "1.2 %"

std::string counted(std::int64_t count, std::string_view noun);  // "1 row", "2 rows"

// A parameter's value in a table: `bytes` as a size, everything else unchanged.
std::string value_text(const std::string& parameter, const Value& value);
std::string size_text(const Parameters& parameters);                        // of `bytes`; empty without it
std::string named_value(const std::string& parameter, const Value& value);  // "64 KiB", "through=runtime"
std::string named_values(const Parameters& parameters);                     // "64 KiB through=runtime"
std::string row_words(const std::string& benchmark, const Parameters& parameters);

}  // namespace tocuda
