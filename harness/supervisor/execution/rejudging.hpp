// tocuda, Apache-2.0.
// Judges recorded rows again, with the present judges.
#pragma once

#include <functional>
#include <vector>

#include "json_lines/documents.hpp"
#include "model/row.hpp"
#include "record/sections.hpp"
#include "record/verification.hpp"
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

// Rows with their present verdicts. Those that this very commit gave stay, as do those that nothing here can judge.
struct JudgedToday {
    std::vector<Row> rows{};
    bool all = true;  // of those that ran
};
JudgedToday judged_today(const Catalogue& catalogue, const std::vector<Row>& recorded, const Suite& by);

// A run with its measurements; its scenarios are added by whoever judges them.
RecordedRun recorded_run(const RunSections& sections);

// Whether recorded verdicts follow from their evidence: rows of this commit are judged again.

// Adds other verdicts to the problems, and what could not be judged again to the notes. `workers` is only called if
// there are verdicts to judge again: finding the workers may start Python.
void check_verdicts(const Recording& recording, const std::function<const Catalogue&()>& workers,
                    Verification& verification);

}  // namespace tocuda
