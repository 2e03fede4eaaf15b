// tocuda, Apache-2.0.
// Where the user's Python program is.
#pragma once

#include <string>

namespace tocuda::computing {

// "train.py:12": the innermost line of this thread that is not PyTorch's own. Empty if the thread runs no Python.
std::string user_line();

}  // namespace tocuda::computing
