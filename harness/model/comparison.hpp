// tocuda, Apache-2.0.
// What is compared, and what came of it. An independent *start* is the unit: what happens within one is alike in ways that no statistics can
// see. Times stand as the median of each process; the samples behind them count no further.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"
#include "model/summary.hpp"

namespace tocuda {

// Exactly one applies, in this order: the first whose condition holds, and `undecided` where none does.
enum class ChangeVerdict { invalid, same, slower, faster, undecided };
inline constexpr std::array<std::string_view, 5> change_words{"invalid", "same", "slower", "faster", "undecided"};
constexpr std::string_view word(ChangeVerdict verdict) { return change_words[static_cast<std::size_t>(verdict)]; }

// One independent start: a session, or, where drivers are compared, all sessions of one boot and driver load.
struct Start {
    std::string name{};                     // for people: a session's id
    std::vector<double> process_medians{};  // seconds; those of processes that count

    bool operator==(const Start&) const = default;
};

// How one row varies from start to start where nothing was changed: the starts of one GPU with equal software, in the order of time. What
// differs between two such groups is no part of the variance.
struct History {
    std::vector<std::vector<Start>> groups{};
    std::string of{};  // whose it is: "this GPU's history", "the history of 12 GPUs NVIDIA H200"

    bool operator==(const History&) const = default;
};

struct ComparedRow {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    Device device = Device::none;
    Clock clock = Clock::device;
    std::string gpu{};
    std::string peer{};
    std::string invalid{};  // why nothing here can be compared (throttled, a wrong result), or empty
    std::vector<Start> before{};
    std::vector<Start> after{};
    History history{};  // without the two sides themselves

    bool operator==(const ComparedRow&) const = default;
};

struct ComparisonRules {
    double level = 0.01;         // how often a whole comparison of what is equal may raise any alarm (Holm)
    double listing_level = 0.05; // of what is worth another look (Benjamini and Hochberg)
    double same_level = 0.90;    // of the interval that has to lie inside the margin
    double margin = 0.005;       // what is smaller is no change; raised to what the row's history shows where nothing was changed
    int starts_min = 3;          // a side
    int freedom_min = 20;        // degrees of freedom of the variance between starts
    double power = 0.9;          // behind `detectable`
};

// A row's answer. `change` is new / old - 1 of time: 0.03 is 3 % slower.
struct RowChange {
    ChangeVerdict verdict = ChangeVerdict::undecided;
    std::optional<double> change{};
    std::optional<Range> interval{};         // of the change, adjusted for the family of rows
    std::optional<double> interval_level{};  // before the adjustment it would be 1 - rules.level
    std::optional<double> detectable{};      // the smallest |change| that this data could have shown
    double margin = 0;                       // that was applied
    int freedom = 0;
    int starts_before = 0, starts_after = 0;
    int processes_before = 0, processes_after = 0;
    bool worth_a_look = false;  // not confirmed, but on the longer list
    int starts_missing = 0;     // that would be needed for a firmer word, on both sides together; 0: more would be of no use, or nobody can tell
    std::string because{};

    bool operator==(const RowChange&) const = default;
};

}  // namespace tocuda
