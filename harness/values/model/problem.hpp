// tocuda, Apache-2.0.
// The result of an operation that can fail for a reason that a person can act on: a value, or the problem.
#pragma once

#include <string>
#include <utility>

#if __has_include(<tl/expected.hpp>)
#include <tl/expected.hpp>
#else  // `doctor`, compiled alone and for a later standard, needs no library
#include <expected>
namespace tl {
using std::expected;
using std::unexpected;
}  // namespace tl
#endif

namespace tocuda {

struct Problem {
    std::string what;  // for people: "FILE:LINE: what is wrong", "--bytes 3X: not a size"
    int line = 0;      // of a list of problems of one file, whose `what` lacks it; 0: the whole file
};

template <class Value>
using Expected = tl::expected<Value, Problem>;

// `return problem("...")` and `return problem(other.error())` in functions that return an Expected.
inline tl::unexpected<Problem> problem(std::string what) { return tl::unexpected(Problem{std::move(what)}); }
inline tl::unexpected<Problem> problem(Problem what) { return tl::unexpected(std::move(what)); }

}  // namespace tocuda
