// tocuda, Apache-2.0.
// Where the user's Python program is.
#pragma once

#include <string>

namespace tocuda::computing {

// "train.py:12": the innermost line of this thread that is not PyTorch's own. Empty if the thread runs no Python.
std::string user_line();

// That line, and the name of the innermost function of Python, PyTorch's own included: "empty_cache".
struct UserPlace {
    std::string line{};
    std::string function{};
};
UserPlace user_place();

}  // namespace tocuda::computing
