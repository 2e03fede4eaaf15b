// tocuda, Apache-2.0.
// The letters next to the rows of a comparison and their meaning: reasons shared by many rows are printed once.
#pragma once

#include <string>
#include <vector>

#include "model/change_report.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

class ChangeLegend {
public:
    std::string marks_for(const AnsweredRow& row);
    std::string text(const Paper& paper) const;

private:
    char mark_for(const std::string& words);

    std::vector<std::string> notes;
};

}  // namespace tocuda
