// tocuda, Apache-2.0.
// The letters next to the rows of a comparison and their meaning: reasons shared by many rows are printed once, with
// what would decide them.
#pragma once

#include <string>
#include <vector>

#include "model/change_report.hpp"

namespace tocuda {

class ChangeLegend {
public:
    std::string marks_for(const AnsweredRow& row);
    std::string text(bool by_driver_load) const;

private:
    struct Note {
        std::string words;
        std::vector<const AnsweredRow*> to_decide{};  // rows that more starts would decide
        int missing = 0;
        bool history_helps = false;  // missing data may also come from a history
    };
    std::size_t note_of(const std::string& words);
    char mark_for(const std::string& words);

    std::vector<Note> notes;
};

}  // namespace tocuda
