// tocuda, Apache-2.0.
// Draws curves over sizes, or over the events of an allocator.
#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart.hpp"
#include "report/marker.hpp"

namespace tocuda::page {
namespace {

constexpr struct {
    double width = 380, height = 236, left = 46, right = 368, top = 22, bottom = 200;
} frame;
constexpr std::size_t fewest_for_a_line = 3;
constexpr std::size_t most_for_markers = 60;
constexpr double shortest_whisker = 1;  // a shorter one is hidden by its marker

struct Axes {
    Scale size{};
    Scale value{};

    double x(double bytes) const { return frame.left + (frame.right - frame.left) * size.share(bytes); }
    double y(double of) const {
        return frame.bottom - (frame.bottom - frame.top) * std::clamp(value.share(of), 0.0, 1.0);
    }
};

Axes axes_of(const CurveChart& chart) {
    std::vector<double> values;
    Axes axes{{0, 0, true}, {}};
    for (const auto& curve : chart.curves)
        for (const auto& point : curve.points) {
            axes.size.low = axes.size.low == 0 ? point.size : std::min(axes.size.low, point.size);
            axes.size.high = std::max(axes.size.high, point.size);
            values.push_back(point.value);
            if (point.interval) values.push_back(point.interval->high);
        }
    for (const auto& level : chart.levels) values.push_back(level.value);
    axes.value = scale_for(values);
    if (chart.over_events) {
        axes.size = {0, axes.size.high, false};
        axes.value = {0, *std::ranges::max_element(values) * 1.05, false};
    } else {
        axes.size.low /= 1.15;
        axes.size.high *= 1.15;
    }
    return axes;
}

void add_axes(Html& svg, const CurveChart& chart, const Axes& axes) {
    std::string grid;
    for (const double tick : ticks_of(axes.value, 5)) {
        const double y = axes.y(tick);
        grid += fmt::format("M{:.0f} {:.1f}H{:.0f}", frame.left, y, frame.right);
        svg.add("<text x={:.0f} y={:.1f} class=end>{}</text>", frame.left - 5, y + 4, tick_text(chart.unit, tick));
    }
    auto axis = fmt::format("M{:.0f} {:.0f}H{:.0f}", frame.left, frame.bottom, frame.right);
    for (const double tick : chart.over_events ? ticks_of(axes.size, 5) : size_ticks(axes.size, 5)) {
        const double x = axes.x(tick);
        axis += fmt::format("M{:.1f} {:.0f}v4", x, frame.bottom);
        const auto text = chart.over_events ? fmt::format("{:.0f}", tick) : tick_text(Unit::bytes, tick);
        svg.add("<text x={:.1f} y={:.0f} class=mid>{}</text>", std::min(x, frame.width - half_width(text)),
                frame.bottom + 17, text);
    }
    svg.add("<path class=grid d=\"{}\"/><path class=axis d=\"{}\"/>", OwnText{grid}, OwnText{axis});
    svg.add("<text x=2 y=12>{}</text><text x={:.0f} y={:.0f} class=end>{}</text>", chart.axis, frame.right,
            frame.height - 4, chart.over_events ? "event" : "size");
}

// Two points do not make a curve, and hundreds need no markers.
OwnText line_class(const ChartCurve& curve) {
    if (curve.points.size() > most_for_markers) return OwnText{"line plain"};
    return OwnText{curve.points.size() < fewest_for_a_line ? "line apart" : "line"};
}

// The markers of a line are those of its look, which the page defines once.
void add_curve(Html& svg, const ChartCurve& curve, std::size_t look, const Axes& axes) {
    std::string line;
    std::string whiskers;
    for (const auto& point : curve.points) {
        const double x = axes.x(point.size);
        line += fmt::format("{}{:.0f} {:.1f}", line.empty() ? "M" : "L", x, axes.y(point.value));
        if (!point.interval) continue;
        const auto [low, high] = std::pair(axes.y(point.interval->low), axes.y(point.interval->high));
        if (low - high >= shortest_whisker) whiskers += fmt::format("M{:.0f} {:.1f}V{:.1f}", x, low, high);
    }
    svg.add("<g class=\"c{}{}\">", look, curve.hollow ? " hollow" : "");
    if (!whiskers.empty()) svg.add("<path class=whisker d=\"{}\"/>", OwnText{whiskers});
    svg.add("<path class=\"{}\" d=\"{}\"/></g>", line_class(curve), OwnText{line});
}

Html legend_of(const CurveChart& chart, const Redaction& redaction) {
    Html legend(redaction);
    legend.add("<ul class=legend>");
    for (std::size_t look = 0; look < chart.curves.size(); ++look)
        legend.add(
            "<li><svg class=\"key c{}{}\" viewBox=\"0 0 34 12\" aria-hidden=true><path class=\"{}\" d=\"M1 "
            "6H17H33\"/></svg> {}",
            look, chart.curves[look].hollow ? " hollow" : "", line_class(chart.curves[look]), chart.curves[look].label);
    for (const auto& level : chart.levels)
        legend.add(
            "<li><svg class=key viewBox=\"0 0 34 12\" aria-hidden=true><path class=\"{}\" d=\"M1 6H33\"/></svg> {}",
            level.look, level.label);
    return legend.add("</ul>");
}

}  // namespace

std::string marker_path(std::size_t look, double x, double y) {
    constexpr std::array<const char*, looks> shapes{"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
                                                    "m-3.2-3.2h6.4v6.4h-6.4z",
                                                    "m0-4.2l4 7h-8z",
                                                    "m0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z",
                                                    "m0 4.2l4-7h-8z",
                                                    "m-4-1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z"};
    return fmt::format("M{:.1f} {:.1f}{}", x, y, shapes.at(look % looks));
}

Html markers(const Redaction& redaction) {
    Html html(redaction);
    html.add("<svg class=markers width=0 height=0 aria-hidden=true><defs>");
    for (std::size_t look = 0; look < looks; ++look)
        for (const auto* hollow : {"", " hollow"})
            html.add(
                "<marker id=m{0}{1} class=\"c{0}{2}\" viewBox=\"-6 -6 12 12\" markerWidth=12 markerHeight=12 "
                "markerUnits=userSpaceOnUse><path class=dot d=\"{3}\"/></marker>",
                look, *hollow ? "h" : "", hollow, OwnText{marker_path(look, 0, 0)});
    return html.add("</defs></svg>");
}

Html drawn(const CurveChart& chart, const Redaction& redaction, int number) {
    Html svg(redaction);
    svg.add(
        "<svg class=chart role=img aria-labelledby=\"t{0} d{0}\" viewBox=\"0 0 {1:.0f} {2:.0f}\"><title "
        "id=t{0}>{3}</title><desc id=d{0}>{4}</desc>",
        number, frame.width, frame.height, chart.title, chart.description);
    const auto axes = axes_of(chart);
    add_axes(svg, chart, axes);
    for (const auto& level : chart.levels)
        svg.add("<path class=\"{}\" d=\"M{:.0f} {:.1f}H{:.0f}\"/>", level.look, frame.left, axes.y(level.value),
                frame.right);
    for (std::size_t look = 0; look < chart.curves.size(); ++look) add_curve(svg, chart.curves[look], look, axes);
    for (const auto& failure : chart.failures)
        svg.add("<path class=failure d=\"M{:.0f} {:.1f}m-5-5l10 10m-10 0l10-10\"/>", axes.x(failure.size),
                axes.y(failure.value));
    return svg.add("</svg>{}", legend_of(chart, redaction));
}

}  // namespace tocuda::page
