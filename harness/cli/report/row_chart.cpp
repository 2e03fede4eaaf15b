// tocuda, Apache-2.0.
// Draws rows with a label above and a bar or markers below it, so that long names fit on narrow screens.
#include <algorithm>
#include <cmath>
#include <map>

#include "json_lines/visible.hpp"
#include "report/chart.hpp"
#include "report/marker.hpp"

namespace tocuda::page {
namespace {

constexpr double row_width = 380;
constexpr double row_left = 12;
constexpr double row_right = 282;  // beyond it: the row's value in words
constexpr double row_top = 24;
constexpr double row_height = 34;
constexpr double group_height = 20;
constexpr std::size_t label_letters = 50;
constexpr std::size_t fewest_for_halves = 8;
constexpr std::size_t circle = 0, triangle = 2, diamond = 3, triangle_down = 4;  // looks of markers

double x_of(const RowChart& chart, double value) {
    return row_left + (row_right - row_left) * std::clamp(chart.scale.share(value), 0.0, 1.0);
}

// The whole name is in the table. No character is split.
std::string shortened(const std::string& label) {
    if (label.size() <= label_letters) return label;
    auto end = label_letters - 3;
    while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xc0U) == 0x80U) --end;
    return label.substr(0, end) + "...";
}

bool begins_group(const RowChart& chart, std::size_t row) {
    return !chart.rows[row].group.empty() && (row == 0 || chart.rows[row - 1].group != chart.rows[row].group);
}

double bottom_of(const RowChart& chart) {
    double y = row_top;
    for (std::size_t row = 0; row < chart.rows.size(); ++row)
        y += row_height + (begins_group(chart, row) ? group_height : 0);
    return y;
}

void add_axes(Html& svg, const RowChart& chart, double bottom) {
    const auto sizes = chart.unit == Unit::bytes && chart.scale.logarithmic;
    std::string grid;
    for (const double tick : sizes ? size_ticks(chart.scale, 5) : ticks_of(chart.scale, 4)) {
        const double x = x_of(chart, tick);
        grid += fmt::format("M{:.1f} {:.0f}V{:.0f}", x, row_top, bottom);
        const auto text = tick_text(chart.unit, tick);
        svg.add("<text x={:.1f} y={:.0f} class=mid>{}</text>", std::max(x, half_width(text)), bottom + 15, text);
    }
    svg.add("<path class=grid d=\"{}\"/><text x=2 y=14>{}</text>", OwnText{grid}, chart.axis);
    for (const auto& level : chart.levels)
        svg.add("<path class=\"{}\" d=\"M{:.1f} {:.0f}V{:.0f}\"/>", level.look, x_of(chart, level.value), row_top,
                bottom);
}

// Path data by class: one path for all marks of a look, because a long page has thousands. They are drawn in the order
// of their names: bars, dots, whiskers.
using Marks = std::map<std::string, std::string>;

void add_bar(Marks& marks, const RowChart& chart, const ChartRow& row, double y) {
    const double start = x_of(chart, chart.scale.logarithmic ? chart.scale.low : 0);
    const auto bar = [y](double from, double to) {
        return fmt::format("M{:.1f} {:.0f}H{:.1f}v10H{:.1f}z", from, y - 5, to, from);
    };
    const double end = x_of(chart, row.values.front());
    const double part = row.part ? x_of(chart, *row.part) : start;
    if (row.part) marks["bar"] += bar(start, part);
    marks[row.part ? "bar light" : row.mark == Mark::hollow_bar ? "bar hatch" : "bar"] += bar(part, end);
}

void add_dots(Marks& marks, const RowChart& chart, const ChartRow& row, double y) {
    const auto look = row.mark == Mark::worse    ? triangle
                      : row.mark == Mark::better ? triangle_down
                      : row.mark == Mark::open   ? diamond
                                                 : circle;
    const auto* style = row.mark == Mark::worse    ? "dot worse"
                        : row.mark == Mark::better ? "dot better"
                        : row.mark == Mark::dot    ? "dot c0"
                                                   : "dot c0 hollow";
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const bool stands_out = std::find(row.strong.begin(), row.strong.end(), i) != row.strong.end();
        marks[stands_out ? "dot worse" : style] +=
            marker_path(stands_out ? diamond : look, x_of(chart, row.values[i]), y);
    }
}

void add_row(Html& svg, Marks& marks, const RowChart& chart, const ChartRow& row, double y) {
    const double middle = y + 22;
    svg.add("<text x={:.0f} y={:.0f}>{}</text><text x={:.0f} y={:.0f} class=value>{}</text>", row_left, y + 11,
            shortened(row.label), row_width - 2, middle + 4, row.note);
    if (row.values.empty()) return;
    const bool is_bar = row.mark == Mark::bar || row.mark == Mark::hollow_bar;
    is_bar ? add_bar(marks, chart, row, middle) : add_dots(marks, chart, row, middle);
    if (!row.interval) return;
    marks["whisker"] += fmt::format("M{:.1f} {:.0f}v8m0-4H{:.1f}m0-4v8", x_of(chart, row.interval->low), middle - 4,
                                    x_of(chart, row.interval->high));
}

}  // namespace

std::vector<RowChart> halves(const RowChart& chart) {
    if (chart.rows.size() < fewest_for_halves) return {chart};
    std::vector<RowChart> parts{chart, chart};
    const auto middle = static_cast<std::ptrdiff_t>((chart.rows.size() + 1) / 2);
    parts[0].rows.assign(chart.rows.begin(), chart.rows.begin() + middle);
    parts[1].rows.assign(chart.rows.begin() + middle, chart.rows.end());
    parts[1].title += ", continued";
    return parts;
}

Html drawn(const RowChart& chart, const Redaction& redaction, int number) {
    const double bottom = bottom_of(chart) + 4;
    Html svg(redaction);
    svg.add(
        "<svg class=chart role=img aria-labelledby=\"t{0} d{0}\" viewBox=\"0 0 {1:.0f} {2:.0f}\"><title "
        "id=t{0}>{3}</title><desc id=d{0}>{4}</desc>",
        number, row_width, bottom + 20, chart.title, chart.description);
    add_axes(svg, chart, bottom);
    Marks marks;
    double y = row_top;
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        if (begins_group(chart, row)) {
            svg.add("<text x=2 y={:.0f} class=group>{}</text>", y + 15, shortened(chart.rows[row].group));
            y += group_height;
        }
        add_row(svg, marks, chart, chart.rows[row], y);
        y += row_height;
    }
    for (const auto& [look, path] : marks) svg.add("<path class=\"{}\" d=\"{}\"/>", look, OwnText{path});
    svg.add("</svg>");
    if (chart.levels.empty()) return svg;
    svg.add("<ul class=legend>");
    for (const auto& level : chart.levels)
        svg.add("<li><svg class=key viewBox=\"0 0 34 12\" aria-hidden=true><path class=\"{}\" d=\"M1 6H33\"/></svg> {}",
                level.look, level.label);
    return svg.add("</ul>");
}

}  // namespace tocuda::page
