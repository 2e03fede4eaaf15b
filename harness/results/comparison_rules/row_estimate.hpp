// tocuda, Apache-2.0.
// The estimates of one row's starts, before the row is judged together with the others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

// How the independent starts of a row vary when nothing changes. All values are natural logarithms of seconds.
// Returns whether any time is not above zero or not finite.
bool has_wrong_time(std::span<const Start> starts);
bool has_wrong_time(const History& history);

// The value of a start is the median of its processes, so that one bad process does not move it. Returns nullopt if no
// process counts.
std::optional<double> value_of(const Start& start);
std::vector<double> values_of(std::span<const Start> starts);  // only of starts that have one, in the same order
int processes_of(const Start& start);

// The sum of squares about each group's mean, and its degrees of freedom. Independent of order, bit for bit.
struct StartSpread {
    double squares = 0;
    int freedom = 0;

    double deviation() const;  // 0 without degrees of freedom
};
StartSpread pooled(std::vector<std::vector<double>> groups);

// What is known of the noise of starts from this spread, if it has enough degrees of freedom.
std::optional<StartNoise> recorded(const StartSpread& spread, const std::string& of, const ComparisonRules& rules);

// Returns the largest |difference| between the medians of two adjacent blocks of `block` values within one group, in
// order of time: how much a row changed by itself, including drift. 0 if no group holds two blocks.
double largest_step(std::span<const std::vector<double>> groups, std::size_t block);

// Returns the distance from its group's median that only this part of the starts exceeds or reaches; the largest
// distance if that part is less than two starts.
double usual_stray(std::span<const std::vector<double>> groups, double part);

// Returns the variance of the median of n normal values, relative to theirs.
double median_variance(std::size_t count);

// On the log scale: a change of 0.01 is very nearly 1 %.
struct LogRange {
    double low = 0;
    double high = 0;
};

// Starts of one machine, one after another while nothing changed.
struct StartSeries {
    int side = 0;  // 0: the history, 1: the old side, 2: the new one; places are of each its own
    std::vector<std::uint32_t> places{};
    std::vector<double> values{};
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
    double mean_change = 0;   // of the means
    int loads_before = 0;     // starts with a boot or driver load of their own
    int loads_after = 0;
    std::optional<StartNoise> noise{};  // what a likely answer may rest on
    int noise_freedom = 0;              // of what was recorded for that, be it enough or not
    bool assumption_unused = false;     // one was to be assumed, which needs the noise of processes
    ProcessNoise process_noise{};
    StartSpread loads{};                   // of this machine's boots and driver loads
    std::vector<HostChange> hosts{};       // on the log scale; the spread is then that of their changes
    std::vector<double> host_variances{};  // what the processes of each contribute
    bool by_block = false;                 // `hosts` are blocks of hosts
    std::vector<HostChange> controls{};    // on the log scale, of those that kept their driver
    double controls_change = 0;            // their mean
    double controls_error = 0;             // of that, where it was subtracted from the change
    int controls_freedom = 0;
    bool less_controls = false;     // whether it was
    std::optional<double> drift{};  // of the old side, the mean over the hosts
    double drift_error = 0;
    std::vector<GpuChange> gpu_changes{};  // of a row of several GPUs that is no part
    bool is_part = false;
    std::vector<StartSeries> series{};  // of a row of one machine
    bool in_turns = false;              // starts of the two sides alternate

    bool has_change() const { return invalid.empty() && starts_before > 0 && starts_after > 0; }
    bool has_interval() const { return has_change() && freedom > 0; }
    bool has_enough(const ComparisonRules& rules) const;
    int witnesses() const { return count_witnesses(hosts); }
    double error() const;                 // of the change
    double error_with(int starts) const;  // with this many starts on each side
    // Whether the means differ as surely as the medians do. Where starts have two levels, a median is at either by
    // chance, however many starts there are.
    bool do_means_agree(double least) const;  // `least`: by how much the medians must differ
};

RowEstimate estimate(const ComparedRow& row, const ComparisonRules& rules = {});

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
