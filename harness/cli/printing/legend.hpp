// tocuda, Apache-2.0.
// Letters beside the numbers of a table, and what they stand for below it.
#pragma once

#include <string>
#include <vector>

#include "terminal/paper.hpp"

namespace tocuda {

class Legend {
public:
    explicit Legend(char first) : first_letter(first) {}

    char mark_for(const std::string& words);  // the same for the same words; '*' once all letters are taken
    std::string text(const Paper& paper) const;

private:
    char letter(std::size_t number) const;

    char first_letter;
    std::vector<std::string> notes{};
};

}  // namespace tocuda
