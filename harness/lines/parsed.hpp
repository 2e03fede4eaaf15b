// tocuda, Apache-2.0.
// What reading a line gives: a value, or what is wrong with the line.
#pragma once

#include <optional>
#include <string>

namespace tocuda {

template <class Type>
struct Parsed {
    std::optional<Type> value{};
    std::string wrong{};

    explicit operator bool() const { return value.has_value(); }
    const Type& operator*() const { return *value; }
    const Type* operator->() const { return &*value; }
};

}  // namespace tocuda
