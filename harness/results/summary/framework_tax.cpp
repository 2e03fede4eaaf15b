// tocuda, Apache-2.0.
#include <algorithm>
#include <tuple>

#include "model/parameter_values.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

constexpr const char* parameter = "through";

bool has_time(const RowSummary& row) {
    return row.status == Status::ok && row.median_seconds && *row.median_seconds > 0;
}

const RowSummary* through_the_runtime(const RowSummary& row, std::span<const RowSummary> rows) {
    auto same = row.parameters;
    same[parameter] = "runtime";
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RowSummary& one) {
        return one.benchmark == row.benchmark && one.gpu == row.gpu && one.peer == row.peer &&
               one.device == row.device && one.clock == row.clock && one.parameters == same && has_time(one);
    });
    return found == rows.end() ? nullptr : &*found;
}

std::optional<Range> interval_of(const std::vector<double>& values) {
    const auto interval = median_interval(values);
    return interval ? std::optional(Range{interval->low, interval->high}) : std::nullopt;
}

FrameworkTax tax_of(const RowSummary& row, const RowSummary& base) {
    FrameworkTax tax{.benchmark = row.benchmark,
                     .parameters = row.parameters,
                     .id = row.id,
                     .device = row.device,
                     .gpu = row.gpu,
                     .peer = row.peer,
                     .clock = row.clock,
                     .bytes_one_way = row.bytes_one_way};
    tax.parameters.erase(parameter);
    std::vector<double> ratios;
    std::vector<double> extras;
    for (const auto& ours : row.process_medians) {
        const auto other = std::find_if(base.process_medians.begin(), base.process_medians.end(),
                                        [&](const ProcessMedian& one) { return one.process == ours.process; });
        if (other == base.process_medians.end()) continue;
        ratios.push_back(ours.seconds / other->seconds);
        extras.push_back(ours.seconds - other->seconds);
    }
    tax.processes = static_cast<int>(ratios.size());
    tax.ratio = ratios.empty() ? *row.median_seconds / *base.median_seconds : median(ratios);
    tax.extra_seconds = extras.empty() ? *row.median_seconds - *base.median_seconds : median(extras);
    tax.ratio_interval = interval_of(ratios);
    tax.extra_interval = interval_of(extras);
    return tax;
}

// The sizes of an operation stand together.
auto place_of(const FrameworkTax& tax) {
    auto rest = tax.parameters;
    const auto size = rest.extract("bytes");
    const auto* bytes = size.empty() ? nullptr : std::get_if<std::int64_t>(&size.mapped().held);
    return std::tuple(tax.benchmark, plain(rest), bytes ? *bytes : 0);
}

}  // namespace

std::vector<FrameworkTax> framework_taxes(std::span<const RowSummary> rows) {
    std::vector<FrameworkTax> taxes;
    for (const auto& row : rows) {
        const auto through = row.parameters.find(parameter);
        if (through == row.parameters.end() || through->second != Value("libtorch") || !has_time(row)) continue;
        if (const auto* base = through_the_runtime(row, rows)) taxes.push_back(tax_of(row, *base));
    }
    std::stable_sort(taxes.begin(), taxes.end(), [](const FrameworkTax& left, const FrameworkTax& right) {
        return place_of(left) < place_of(right);
    });
    return taxes;
}

}  // namespace tocuda
