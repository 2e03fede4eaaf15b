// tocuda, Apache-2.0.
#include "command/framework_tax.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "command/quantities.hpp"

namespace tocuda {
namespace {

constexpr const char* parameter = "through";

bool has_time(const RowSummary& row) { return row.status == Status::ok && row.median_seconds && *row.median_seconds > 0; }

const RowSummary* through_the_runtime(const RowSummary& row, const std::vector<RowSummary>& rows) {
    auto same = row.parameters;
    same[parameter] = "runtime";
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RowSummary& one) {
        return one.benchmark == row.benchmark && one.gpu == row.gpu && one.device == row.device && one.clock == row.clock && one.parameters == same && has_time(one);
    });
    return found == rows.end() ? nullptr : &*found;
}

std::string what_it_is(const FrameworkTax& tax) {
    std::string text;
    for (const auto& [name, value] : tax.row->parameters)
        if (name != parameter) text += (text.empty() ? "" : " ") + named_value(name, value);
    return text;
}

}  // namespace

std::vector<FrameworkTax> framework_taxes(const std::vector<RowSummary>& rows) {
    std::vector<FrameworkTax> taxes;
    for (const auto& row : rows) {
        const auto through = row.parameters.find(parameter);
        if (through == row.parameters.end() || through->second != Value("libtorch") || !has_time(row)) continue;
        const auto* plain = through_the_runtime(row, rows);
        if (plain) taxes.push_back({&row, *row.median_seconds - *plain->median_seconds, *row.median_seconds / *plain->median_seconds - 1});
    }
    std::stable_sort(taxes.begin(), taxes.end(), [](const FrameworkTax& left, const FrameworkTax& right) {
        return left.row->benchmark != right.row->benchmark ? left.row->benchmark < right.row->benchmark : left.row->bytes_one_way < right.row->bytes_one_way;
    });
    return taxes;
}

std::string tax_table(const std::vector<RowSummary>& rows, const Paper& paper) {
    const auto taxes = framework_taxes(rows);
    if (taxes.empty()) return "";
    auto text = "\n" + paper.strong("the framework's tax") +
                paper.faint("  time through LibTorch minus that of the runtime alone") + "\n";
    for (const auto& tax : taxes) {
        const auto head = "  " + tax.row->benchmark + " " + what_it_is(tax);
        const bool fits = columns_of(head) < 56;
        const auto sign = tax.seconds < 0 ? "-" : "+";
        text += (fits ? pad(head, 56) : wrap(head.substr(2), 2, 4).insert(0, "  ") + "\n" + std::string(56, ' '));
        text += fmt::format("{:>12} {:>10}\n", sign + seconds_text(std::abs(tax.seconds)), fmt::format("{:+.1f} %", 100 * tax.part));
    }
    return text;
}

}  // namespace tocuda
