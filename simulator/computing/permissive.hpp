// tocuda, Apache-2.0.
// Operators whose kernels on a GPU take arguments that the CPU's kernels refuse, or read otherwise.
#pragma once

#include <string>

#include "computing/equivalents.hpp"

namespace tocuda::computing {

// Null if an operator, named with its overload, is none of them.
Equivalent permissive_equivalent_of(const std::string& name);

}  // namespace tocuda::computing
