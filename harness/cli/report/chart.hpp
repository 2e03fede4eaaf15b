// tocuda, Apache-2.0.
// Draws charts as SVG: curves over sizes, and rows with a bar or a marker each. Colours come from the page's style;
// marker shapes and dashes tell curves apart without colour.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/summary.hpp"
#include "report/html.hpp"

namespace tocuda::page {

inline constexpr std::size_t looks = 6;       // curves that can be told apart in one chart
inline constexpr std::size_t most_rows = 32;  // of a chart; its table has all

struct Scale {
    double low = 0;
    double high = 1;
    bool logarithmic = false;

    double share(double value) const;  // 0 at the low end, 1 at the high end
};

// Round numbers on the scale: steps of 1, 2 or 5; powers of ten and, where these are few, their doubles and halves.
std::vector<double> ticks_of(const Scale& scale, int most);
// Powers of two bytes.
std::vector<double> size_ticks(const Scale& scale, int most);
// A linear scale from zero or, if the values are far apart, a logarithmic one. `values` are above zero.
Scale scale_for(const std::vector<double>& values);

// What a chart measures: a rate in bytes or in operations a second, a time in seconds, a size in bytes, a share of one,
// or a plain count of MiB.
enum class Unit { rate, operations, seconds, bytes, ratio, percent, mebibytes };
std::string tick_text(Unit unit, double value);
// Of the text at a tick, which stays that far from the edge.
double half_width(const std::string& text);
// The same with its unit and as many digits as tables have.
std::string value_text(Unit unit, double value);

struct ChartPoint {
    double size = 0;
    double value = 0;
    std::optional<Range> interval{};
};

struct ChartCurve {
    std::string label{};
    bool hollow = false;  // measured by the host's clock
    std::vector<ChartPoint> points{};
};

// A horizontal line: the peak, or what was attained.
struct ChartLevel {
    std::string label{};
    double value = 0;
    const char* look = "attained";  // or "attained host", "peak"
};

struct CurveChart {
    std::string title{};
    std::string description{};  // what a reader who does not see it needs
    std::string axis{};         // "GB/s, payload"
    Unit unit = Unit::rate;
    std::vector<ChartCurve> curves{};  // at most `looks`
    std::vector<ChartLevel> levels{};
    bool over_events = false;            // not over sizes: each has a number
    std::vector<ChartPoint> failures{};  // are marked
};

enum class Mark { bar, hollow_bar, dot, hollow_dot, better, worse, open };

struct ChartRow {
    std::string group{};  // a heading above the row, where it differs from the one before
    std::string label{};
    std::vector<double> values{};  // one bar or marker, or several markers of equal things
    std::optional<Range> interval{};
    std::optional<double> part{};  // a darker part of the bar
    std::string note{};            // beside the value
    Mark mark = Mark::bar;
    std::vector<std::size_t> strong{};  // values that stand out
};

struct RowChart {
    std::string title{};
    std::string description{};
    std::string axis{};
    Unit unit = Unit::rate;
    Scale scale{};
    std::vector<ChartRow> rows{};
    std::vector<ChartLevel> levels{};  // vertical lines
};

// Two charts for beside each other, of a long one that has the page's width.
std::vector<RowChart> halves(const RowChart& chart);

// The markers of curves: once on each page that has any.
Html markers(const Redaction& redaction);

// With the legend below it.
Html drawn(const CurveChart& chart, const Redaction& redaction, int number);
Html drawn(const RowChart& chart, const Redaction& redaction, int number);

}  // namespace tocuda::page
