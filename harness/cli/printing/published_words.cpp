// tocuda, Apache-2.0.
#include "printing/published_words.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

std::string rate_text(double per_second, RateOf counts) {
    if (counts == RateOf::operations) return fmt::format("{:.4g} TFLOPS", per_second / 1e12);
    return gigabytes_text(per_second) + " GB/s";
}

std::string in_band(const HeldRow& row) {
    const auto [lowest, highest] = std::ranges::minmax(row.band, {}, &PublishedNumber::per_second);
    auto text =
        fmt::format("{} published of {} by {}: {} to {}", row.band.size(), row.model, counted(row.sources, "source"),
                    rate_text(lowest.per_second, row.counts), rate_text(highest.per_second, row.counts));
    if (row.standing == PublishedStanding::low) return text + "; unusually low: look at " + row.look_at;
    if (row.standing == PublishedStanding::below) text += "; below all of them";
    if (row.standing == PublishedStanding::above) text += "; above all of them";
    return text;
}

// "55.43 GB/s (measured, Stas Bekman 2026)"
std::string one_text(const PublishedNumber& number) {
    const std::string kind = number.kind == "best_case" ? "best case" : number.kind;
    const auto year = number.date.empty() ? "" : " " + number.date.substr(0, 4);
    return fmt::format("{} ({}, {}{})", rate_text(number.per_second, number.counts), kind, number.by, year);
}

}  // namespace

std::string held_words(const HeldRow& row) {
    const auto set = named_values(row.parameters);
    auto text =
        fmt::format("{}{}{}: {}; ", row.benchmark, set.empty() ? "" : " ", set, rate_text(row.per_second, row.counts));
    if (row.standing == PublishedStanding::shown) {
        std::vector<std::string> shown;
        for (const auto* list : {&row.band, &row.others})
            for (const auto& number : *list) shown.push_back(one_text(number));
        text += fmt::format("published (too few to judge by): {}", fmt::join(shown, ", "));
    } else {
        text += in_band(row);
    }
    if (row.percent_of_peak) text += fmt::format("; {:.0f} % of its peak", *row.percent_of_peak);
    return text;
}

std::string held_total(const std::vector<HeldRow>& rows) {
    const auto low = std::ranges::count(rows, PublishedStanding::low, &HeldRow::standing);
    const auto shown = std::ranges::count(rows, PublishedStanding::shown, &HeldRow::standing);
    const auto judged = std::ssize(rows) - shown;
    std::vector<std::string> parts;
    if (judged > 0)
        parts.push_back(
            fmt::format("{} of {} unusually low", low == 0 ? "none" : std::to_string(low), counted(judged, "row")));
    if (shown > 0) parts.push_back(fmt::format("too few published values to judge {}", counted(shown, "row")));
    return fmt::format("beside what others published of {}: {}", rows.front().model, fmt::join(parts, "; "));
}

std::string held_table(const std::vector<HeldRow>& rows, std::size_t columns) {
    auto text = wrap(held_total(rows), 0, 2, columns) + "\n";
    for (const auto& row : rows) text += "  " + wrap(held_words(row), 2, 4, columns) + "\n";
    return text;
}

}  // namespace tocuda
