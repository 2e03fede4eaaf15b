// tocuda, Apache-2.0.
// What an error text says: which error it is, what it means, its figures, and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tocuda::doctor {

// A number that the text contains or that follows from it.
struct Figure {
    std::string name;  // "requested"
    std::int64_t value = 0;
    std::string unit{};  // "bytes"; empty for a code, an index or a count

    bool operator==(const Figure&) const = default;
};

struct Explanation {
    std::string error;                      // "CUDA out of memory"
    std::size_t line = 0;                   // of the text, from 1
    std::string quoted;                     // that line from the error on, printable and shortened
    std::string meaning;                    // one or two sentences
    std::vector<Figure> figures{};          // in the order of the text
    std::vector<std::string> arithmetic{};  // sentences that compute with the figures
    std::vector<std::string> claims{};      // ids of claims whose scenarios show this error
    std::vector<std::string> remedies{};    // commands and steps, the most promising first
};

}  // namespace tocuda::doctor
