// tocuda, Apache-2.0.
#include "printing/models_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "model/parameter_values.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

std::int64_t bytes_of(const BesideRow& row) {
    const auto found = row.parameters.find("bytes");
    const auto* bytes = found == row.parameters.end() ? nullptr : std::get_if<std::int64_t>(&found->second.held);
    return bytes ? *bytes : 0;
}

}  // namespace

std::vector<BesideRow> rows_beside(const TwoModels& models, bool all) {
    auto rows = models.rows;
    std::ranges::stable_sort(rows, [](const BesideRow& left, const BesideRow& right) {
        return std::tuple(left.benchmark, bytes_of(left), named_values(left.parameters)) <
               std::tuple(right.benchmark, bytes_of(right), named_values(right.parameters));
    });
    if (all) return rows;
    std::vector<BesideRow> largest;
    for (auto& row : rows)
        if (largest.empty() || largest.back().benchmark != row.benchmark) largest.push_back(std::move(row));
        else if (bytes_of(row) > bytes_of(largest.back())) largest.back() = std::move(row);
    return largest;
}

std::string models_words(const TwoModels& models) {
    const auto rows = rows_beside(models, false);
    if (rows.empty()) return "";
    const auto [least, most] = std::ranges::minmax_element(rows, {}, times_as_fast);
    return fmt::format("{} {:.2f} to {:.2f} times as fast as {} at the largest size of {}", models.after,
                       times_as_fast(*least), times_as_fast(*most), models.before,
                       counted(std::ssize(rows), "benchmark"));
}

std::string short_model(const std::string& name) {
    constexpr std::string_view maker = "NVIDIA ";
    return name.starts_with(maker) ? name.substr(maker.size()) : name;
}

std::string models_table(const TwoModels& models, bool all, const Paper& paper) {
    if (models.rows.empty()) return "";
    const auto rows = rows_beside(models, all);
    const auto before = short_model(models.before), after = short_model(models.after);
    const auto first = std::max<std::size_t>(9, columns_of(before)),
               second = std::max<std::size_t>(9, columns_of(after));
    const auto line = [&](const auto& one, const auto& other, const auto& speed) {
        return fmt::format("{:>{}} {:>{}} {:>6}", one, first, other, second, speed);
    };
    auto text = wrap(fmt::format("{} and {} side by side: medians of the newest run of each row, nothing is judged; "
                                 "speed: how many times as fast {} is; rows named best use, on each GPU, the variant "
                                 "chosen for it",
                                 models.before, models.after, after),
                     0, 2, paper.columns()) +
                "\n" + paper.faint(pad("", 44) + line(before, after, "speed")) + "\n";
    for (const auto& row : rows) {
        auto name = row.benchmark + " " + named_values(row.parameters);
        if (columns_of(name) > 43) {
            text += name + "\n";
            name.clear();
        }
        text += pad(name, 44) +
                line(seconds_text(row.seconds_before), seconds_text(row.seconds_after),
                     fmt::format("{:.2f}", times_as_fast(row))) +
                "\n";
    }
    const auto more = std::ssize(models.rows) - std::ssize(rows);
    return text + (more > 0 ? counted(more, "more row") + ", of other sizes and settings: --all\n" : "");
}

}  // namespace tocuda
