// tocuda, Apache-2.0.
// Sections of made-up runs, and their rows paired.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comparison_input/made_up_sections_test.hpp"
#include "comparison_input/paired_rows.hpp"

namespace tocuda::made_up {

struct RunRows {
    RunLine run;
    std::vector<MeasurementRow> rows;
};
using Runs = std::vector<RunRows>;

inline std::vector<GatheredSection> gathered(RowNames& names, const Runs& runs,
                                             std::vector<std::string>* warnings = nullptr) {
    Gathering gathering(names);
    for (const auto& [run, rows] : runs) add_run(gathering, run, rows);
    std::vector<std::string> told;
    auto sections = gathering.finish(warnings ? *warnings : told);
    return sections;
}

inline ChangeReport paired(const Runs& before, const Runs& after, const Runs& history = {}, int needed = 20) {
    RowNames names;
    GatheredSides sides{gathered(names, before), gathered(names, after), gathered(names, history)};
    return pair_rows(names, sides, needed);
}

inline RunRows part(int number, const std::string& driver = "570.86.15",
                    const std::vector<double>& seconds = {1e-3, 2e-3, 3e-3}) {
    return {run_of(number, driver), rows_of("copy/x", seconds)};
}

inline RunRows changed(RunRows one, const std::function<void(MeasurementRow&)>& change) {
    for (auto& row : one.rows) change(row);
    return one;
}

}  // namespace tocuda::made_up
