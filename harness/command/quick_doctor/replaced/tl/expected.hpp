// tocuda, Apache-2.0.
// In place of the library of this name where `doctor` is compiled alone: the standard library's.
#pragma once

#include <expected>

namespace tl {

using std::expected;
using std::unexpected;

}  // namespace tl
