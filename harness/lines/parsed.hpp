// tocuda, Apache-2.0.
// The result of parsing: a value, or a message saying what is wrong.
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
