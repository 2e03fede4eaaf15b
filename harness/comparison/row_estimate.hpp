// tocuda, Apache-2.0.
// What one row's starts say by themselves, before it is judged among the others.
#pragma once

#include <string>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

// On the log scale: a change of 0.01 is very nearly 1 %.
struct LogRange {
    double low = 0;
    double high = 0;
};

struct RowEstimate {
    std::string invalid{};         // why the row cannot be compared, or empty
    int starts_before = 0;         // that have a process
    int starts_after = 0;
    int processes_before = 0;
    int processes_after = 0;
    int freedom = 0;
    double spread = 0;             // standard deviation of starts
    double least_margin = 0;       // what the row did in its history
    double stray = 0;              // how far from the others of its group a start may get by itself
    double change = 0;             // of medians; 0 where a side is empty

    bool has_change() const { return invalid.empty() && starts_before > 0 && starts_after > 0; }
    bool has_interval() const { return has_change() && freedom > 0; }
    bool has_enough(const ComparisonRules& rules) const;
    double error() const;  // of the change
    double error_with(int starts) const;  // were there as many on each side
};

RowEstimate estimate(const ComparedRow& row);

// Real starts are not quite normal: with an excess kurtosis of 2, a variance is known as if from half of the values. Of Student's t.
double tested_freedom(const RowEstimate& estimate);

// How likely a change is at least as large as this one where nothing changed; 1 where single starts stray nearly as far.
double probability_of(const RowEstimate& estimate);

// The change; `critical` errors wide on either side. It excludes 0 only where probability_of() is less than 1.
LogRange interval_of(const RowEstimate& estimate, double critical);

// The smallest true change that lies `power` errors beyond what is called one; `spread_at_most`: the largest that the spread may be, over the one seen.
double log_detectable(const RowEstimate& estimate, double critical, double power, double spread_at_most, double margin);

}  // namespace tocuda
