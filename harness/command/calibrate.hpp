// tocuda, Apache-2.0.
// compare --calibrate: how often the comparison raises a false alarm, and what it finds, counted on made-up noise and on recorded history.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comparison/calibration.hpp"
#include "model/comparison.hpp"

namespace tocuda {

struct CalibrateOptions {
    int comparisons = 4000;  // of each kind of noise
    int rows = 50;
    std::uint64_t seed = 1;
    int jobs = 0;  // 0: as many as there are cores; of no consequence to the result
    bool strict = false;
    bool json = false;
    std::vector<std::vector<ComparedRow>> recorded{};  // comparisons of equal sides, made from a recorded history

    bool operator==(const CalibrateOptions&) const = default;
};

// Prints the table, or the document. 1 where a goal is missed; with `strict` 3 where the comparisons are too few to show that it is met; else 0.
int calibrate(const CalibrateOptions& options);

// What is printed of one kind of noise.
struct CalibrationRow {
    std::string noise{};
    std::string meaning{};
    bool is_paired = false;  // rounds of two builds on one machine, instead of starts of two drivers
    bool is_recorded = false;
    Calibrated counted{};

    double alarms_at_most() const;      // the upper end of the 95 % interval of the rate of comparisons with any alarm (Clopper and Pearson)
    bool has_many_alarms() const;       // surely more than 1 % of comparisons, or one in 1,000 rows
    bool breaks_its_promise() const;    // of the rows that promise to show 2 %, surely fewer than 90 % do
    bool is_missed() const { return has_many_alarms() || breaks_its_promise(); }
    bool holds() const;                 // shown to be no more, and to find as many: alarms_at_most() is not above 1 %
};

std::string calibration_table(const std::vector<CalibrationRow>& rows, const CalibrateOptions& options);
std::string calibration_document(const std::vector<CalibrationRow>& rows, const CalibrateOptions& options);

}  // namespace tocuda
