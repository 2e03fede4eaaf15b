// tocuda, Apache-2.0.
// What `doctor` can tell of a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doctor/checks.hpp"
#include "model/explanation.hpp"

namespace tocuda::doctor {

// Makes plain text of what people paste.

// As UTF-8, without byte order marks, colours and other sequences of a terminal, typographic quotation marks and the
// bars around tracebacks; UTF-16 as PowerShell writes it and URL-encoded text are decoded. Lines keep their numbers.
std::string readable(std::string text);

// Finds the first cause in a pasted error text or log, and explains it. Pure, and linear in the length of the text.

// nullopt if no error that has to do with a GPU is found. The text may be any bytes of any length.
// The first error of a text is explained, not what followed from it; an error that names a cause is preferred to
// earlier lines that only announce one.
std::optional<Explanation> explain(std::string_view text);

// A text that ends or begins within the words of an error is explained as that one, which is never certain. To be asked
// after everything else.
std::optional<Explanation> explain_cut(std::string_view text);

// A text in which explain() knows no error: what it is by its look, and what to paste instead.
std::string what_it_looks_like(std::string_view text);

// The last line that ends a traceback, known or not; empty if there is none.
std::string_view last_error_in(std::string_view text);

// What other tools print about a machine, read by its keys and given to the checks: collect_env of PyTorch, nvidia-smi
// with and without -q, lspci. Pure.
struct Pasted {
    std::string tool{};      // "collect_env", "collect_env and nvidia-smi"
    Findings findings{};     // the checks' on what was pasted
    std::string not_seen{};  // what the checks would also look at
};

// nullopt if the text is none of them. Several are judged each by itself. `error` is the error that stands beside them,
// with which they may disagree.
std::optional<Pasted> judge_pasted(std::string_view text, std::string_view error = "");

// A log of the kernel in which nothing is wrong with NVIDIA's driver.

// nullopt if the text is no such log. To be asked after explain(), which finds what is wrong.
std::optional<Pasted> judge_kernel_log(std::string_view text);

}  // namespace tocuda::doctor
