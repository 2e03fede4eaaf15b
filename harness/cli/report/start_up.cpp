// tocuda, Apache-2.0.
// Start-up time and half-bandwidth size of the paths of a family.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "printing/bench_families.hpp"
#include "report/family_curves.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

std::vector<std::pair<const Path*, const PathFit*>> fitted_paths(const Family& family,
                                                                 const std::vector<PathFit>& fits) {
    std::vector<std::pair<const Path*, const PathFit*>> fitted;
    for (const auto& path : family.paths)
        for (const auto& fit : fits) {
            const auto& first = *path.rows.front();
            if (fit.t0_seconds && fit.bytes_per_second && fit.benchmark == first.benchmark && fit.gpu == first.gpu &&
                fit.peer == first.peer && fit.device == first.device &&
                fit.parameters == without_bytes(first.parameters))
                fitted.emplace_back(&path, &fit);
        }
    return fitted;
}

// A logarithmic scale with a round end on either side; values of zero stand at the low end.
Scale around(const RowChart& chart) {
    double low = 0;
    double high = 0;
    for (const auto& row : chart.rows) {
        const double value = row.values.front();
        if (value <= 0) continue;
        low = low == 0 ? value : std::min(low, value);
        high = std::max(high, value);
    }
    if (low == 0) return {};
    if (chart.unit == Unit::bytes) return {std::exp2(std::floor(std::log2(low))), high * 2, true};
    return {std::pow(10, std::floor(std::log10(low))), std::pow(10, std::ceil(std::log10(high * 1.01))), true};
}

}  // namespace

Html start_up_of(const Family& family, const std::vector<PathFit>& fits, const std::string& run, Figures& figures,
                 const Redaction& redaction) {
    const auto fitted = fitted_paths(family, fits);
    Html html(redaction);
    if (fitted.empty()) return html;
    Table table{title_of(family, "start-up time, and size that reaches half the bandwidth"),
                {{"mechanism", false}, {"sizes"}, {"start-up, us"}, {"GB/s"}, {"half bandwidth, KiB"}, {"off by, %"}},
                {}};
    RowChart time{.title = title_of(family, "start-up time"), .axis = "start-up time", .unit = Unit::seconds};
    RowChart half{.title = title_of(family, "size that reaches half the bandwidth"),
                  .axis = "size that reaches half the bandwidth",
                  .unit = Unit::bytes};
    for (const auto& [path, fit] : fitted) {
        const auto half_bytes = fit->half_bandwidth_bytes.value_or(0);
        table.rows.push_back({label_of(*path), std::to_string(fit->sizes),
                              fmt::format("{:.4g}", *fit->t0_seconds * 1e6), gigabytes_text(*fit->bytes_per_second),
                              fmt::format("{:.4g}", half_bytes / 1024),
                              fmt::format("{:.2f}", 100 * fit->residual.value_or(0))});
        if (time.rows.size() == most_rows / 2) continue;  // two charts on one sheet
        const auto mark = by_host(*path) ? Mark::hollow_dot : Mark::dot;
        time.rows.push_back({.label = label_of(*path),
                             .values = {*fit->t0_seconds},
                             .note = seconds_text(*fit->t0_seconds),
                             .mark = mark});
        half.rows.push_back(
            {.label = label_of(*path), .values = {half_bytes}, .note = rounded_amount(half_bytes), .mark = mark});
    }
    for (auto* chart : {&time, &half}) {
        chart->scale = around(*chart);
        chart->description = fmt::format("{} of {}.", chart->axis, counted(std::ssize(chart->rows), "mechanism"));
    }
    const std::string words = "Fitted over the sizes: time = start-up + bytes / bandwidth.";
    const auto cut = table.rows.size() > time.rows.size()
                         ? fmt::format("The first {} of {}.", time.rows.size(), table.rows.size())
                         : "";
    return html.add("{}", figures.with(std::vector{time, half}, {words, cut}, table, run));
}

}  // namespace tocuda::page
