// tocuda, Apache-2.0.
// The estimates of one row's starts, before the row is judged together with the others.
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
    std::string invalid{};  // why the row cannot be compared; empty otherwise
    int starts_before = 0;  // starts with a process
    int starts_after = 0;
    int processes_before = 0;
    int processes_after = 0;
    int freedom = 0;
    double spread = 0;        // standard deviation of starts
    double least_margin = 0;  // largest step within the history
    double stray = 0;         // how far a single start may deviate from its group without any change
    double change = 0;        // difference of the medians; 0 if a side is empty

    bool has_change() const { return invalid.empty() && starts_before > 0 && starts_after > 0; }
    bool has_interval() const { return has_change() && freedom > 0; }
    bool has_enough(const ComparisonRules& rules) const;
    double error() const;                 // of the change
    double error_with(int starts) const;  // with this many starts on each side
};

RowEstimate estimate(const ComparedRow& row);

// Degrees of freedom for Student's t. Real starts are not quite normal: with an excess kurtosis of 2, a variance is
// known as if from half of the values.
double tested_freedom(const RowEstimate& estimate);

// Probability of a change at least this large if nothing changed; 1 if single starts deviate nearly as much.
double probability_of(const RowEstimate& estimate);

// The change plus and minus `critical` errors. Excludes 0 only if probability_of() is less than 1.
LogRange interval_of(const RowEstimate& estimate, double critical);

// The smallest true change that lies `power` errors beyond what is called a change. `spread_at_most` is the upper limit
// of the spread divided by the observed one.
double log_detectable(const RowEstimate& estimate, double critical, double power, double spread_at_most, double margin);

}  // namespace tocuda
