// tocuda, Apache-2.0.
// What changes in a Python program. Python's functions are looked up, because the program may be written in C++.
#pragma once

#include <string>

namespace tocuda::computing {

// Ends the program with SystemExit, soon.
void end_program();

// The exception that the calling thread's Python is handling, to be compared only; null if there is none.
const void* handled_exception();

// Once PyTorch meets a GPU: the graphs of torch.compile that use GPUs run operator by operator in place of Inductor,
// whose kernels cannot be computed (TOCUDA_COMPILE=refuse: they raise an error); and if the program is recorded,
// reading `total_memory` of a GPU's properties counts as a question for free memory.
void change_pytorch();

// Where the user's Python program is.

// "train.py:12": the innermost line of this thread that is not PyTorch's own. Empty if the thread runs no Python.
std::string user_line();

// That line, and the name of the innermost function of Python, PyTorch's own included: "empty_cache".
struct UserPlace {
    std::string line{};
    std::string function{};
};
UserPlace user_place();

}  // namespace tocuda::computing
