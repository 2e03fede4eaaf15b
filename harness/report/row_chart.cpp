// tocuda, Apache-2.0.
// Draws rows with a label above and a bar or markers below it, so that long names fit on narrow screens.
#include <algorithm>
#include <cmath>

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
    for (const double tick : sizes ? size_ticks(chart.scale, 5) : ticks_of(chart.scale, 4)) {
        const double x = x_of(chart, tick);
        svg.add("<path class=grid d=\"M{:.1f} {:.0f}V{:.0f}\"/><text x={:.1f} y={:.0f} class=mid>{}</text>", x, row_top,
                bottom, std::max(x, tick_room), bottom + 15, tick_text(chart.unit, tick));
    }
    svg.add("<text x=2 y=14>{}</text>", chart.axis);
    for (const auto& level : chart.levels)
        svg.add("<path class=\"{}\" d=\"M{:.1f} {:.0f}V{:.0f}\"/>", level.look, x_of(chart, level.value), row_top,
                bottom);
}

void add_bar(Html& svg, const RowChart& chart, const ChartRow& row, double y) {
    const double from = x_of(chart, chart.scale.logarithmic ? chart.scale.low : 0);
    const double to = x_of(chart, row.values.front());
    svg.add("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}v10H{:.1f}z\"/>",
            row.part                       ? "bar light"
            : row.mark == Mark::hollow_bar ? "bar hatch"
                                           : "bar",
            from, y - 5, to, from);
    if (row.part)
        svg.add("<path class=bar d=\"M{:.1f} {:.1f}H{:.1f}v10H{:.1f}z\"/>", from, y - 5, x_of(chart, *row.part), from);
}

void add_dots(Html& svg, const RowChart& chart, const ChartRow& row, double y) {
    const auto look = row.mark == Mark::worse    ? triangle
                      : row.mark == Mark::better ? triangle_down
                      : row.mark == Mark::open   ? diamond
                                                 : circle;
    const auto* style = row.mark == Mark::worse    ? "worse"
                        : row.mark == Mark::better ? "better"
                        : row.mark == Mark::dot    ? "c0"
                                                   : "c0 hollow";
    std::string usual;
    std::string strong;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const bool stands_out = std::find(row.strong.begin(), row.strong.end(), i) != row.strong.end();
        (stands_out ? strong : usual) += marker_path(stands_out ? diamond : look, x_of(chart, row.values[i]), y);
    }
    if (!usual.empty()) svg.add("<path class=\"dot {}\" d=\"{}\"/>", style, OwnText{usual});
    if (!strong.empty()) svg.add("<path class=\"dot worse\" d=\"{}\"/>", OwnText{strong});
}

void add_row(Html& svg, const RowChart& chart, const ChartRow& row, double y) {
    svg.add("<text x={:.0f} y={:.1f}>{}</text>", row_left, y + 11, shortened(row.label));
    const double middle = y + 22;
    if (!row.values.empty()) {
        const bool is_bar = row.mark == Mark::bar || row.mark == Mark::hollow_bar;
        is_bar ? add_bar(svg, chart, row, middle) : add_dots(svg, chart, row, middle);
    }
    if (row.interval && !row.values.empty()) {
        const double low = x_of(chart, row.interval->low);
        const double high = x_of(chart, row.interval->high);
        svg.add("<path class=whisker d=\"M{:.1f} {:.1f}v8m0-4H{:.1f}m0-4v8\"/>", low, middle - 4, high);
    }
    svg.add("<text x={:.0f} y={:.1f} class=\"end value\">{}</text>", row_width - 2, middle + 4, row.note);
}

}  // namespace

Html drawn(const RowChart& chart, const Redaction& redaction, int number) {
    const double bottom = bottom_of(chart) + 4;
    Html svg(redaction);
    svg.add(
        "<svg class=chart role=img aria-labelledby=\"t{0} d{0}\" viewBox=\"0 0 {1:.0f} {2:.0f}\"><title "
        "id=t{0}>{3}</title><desc id=d{0}>{4}</desc>",
        number, row_width, bottom + 20, chart.title, chart.description);
    add_axes(svg, chart, bottom);
    double y = row_top;
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        if (begins_group(chart, row)) {
            svg.add("<text x=2 y={:.1f} class=group>{}</text>", y + 15, shortened(chart.rows[row].group));
            y += group_height;
        }
        add_row(svg, chart, chart.rows[row], y);
        y += row_height;
    }
    svg.add("</svg>");
    if (chart.levels.empty()) return svg;
    svg.add("<ul class=legend>");
    for (const auto& level : chart.levels)
        svg.add("<li><svg class=key viewBox=\"0 0 34 12\" aria-hidden=true><path class=\"{}\" d=\"M1 6H33\"/></svg> {}",
                level.look, level.label);
    return svg.add("</ul>");
}

}  // namespace tocuda::page
