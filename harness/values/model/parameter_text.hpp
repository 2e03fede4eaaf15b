// tocuda, Apache-2.0.
// Parameters as text, for people and for row ids: key=value, integers in decimal.
#pragma once

#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

std::string plain(const Value& value);
std::string plain(const Parameters& parameters);  // "bytes=65536 memory=pinned", sorted by name

// Orders such values: numbers before words, 64 before 128.
struct ByValue {
    bool operator()(const std::string& left, const std::string& right) const;
};

}  // namespace tocuda
