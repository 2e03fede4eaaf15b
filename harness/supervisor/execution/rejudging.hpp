// tocuda, Apache-2.0.
// Judges recorded rows again, with the present judges.
#pragma once

#include <functional>
#include <vector>

#include "json_lines/documents.hpp"
#include "model/row.hpp"
#include "record/sections.hpp"
#include "request/catalogue.hpp"

namespace tocuda {

// A recorded row, and the same row with its present verdicts.
struct Judged {
    const Row* was;
    Row is;
    bool asked = false;               // false: not judged again, `is` is the recorded row
    const Worker* lacking = nullptr;  // the worker that has its judge, but lacks something here
};

// Keeps the order. Rows that were never run, rows that no worker has (these are passed to `unknown`), and rows of
// workers that lack something here stay as recorded. `seconds`: deadline of each row; 0: the default.
std::vector<Judged> judge_again(const Catalogue& catalogue, const std::vector<const Row*>& recorded, double seconds,
                                const std::function<void(const Row&)>& unknown);

// A run with its measurements; its scenarios are added by whoever judges them.
RecordedRun recorded_run(const RunSections& sections);

}  // namespace tocuda
