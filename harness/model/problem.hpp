// tocuda, Apache-2.0.
// The result of an operation that can fail for a reason that a person can act on: a value, or the problem.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace tocuda {

struct Problem {
    int line = 0;        // of a file; 0: all of it, or there is no file
    std::string what{};  // for people: "--bytes 3X: not a size"

    bool operator==(const Problem&) const = default;
};

template <class Value>
using Expected = tl::expected<Value, Problem>;

// `return problem("...")` in a function that returns an Expected.
inline tl::unexpected<Problem> problem(std::string what) { return tl::unexpected(Problem{0, std::move(what)}); }

}  // namespace tocuda
