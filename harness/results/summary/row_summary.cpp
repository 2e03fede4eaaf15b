// tocuda, Apache-2.0.
// Chooses the valid processes of a row and computes their median, its interval and the speeds.
#include "summary/row_summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "model/forecast.hpp"
#include "model/measurement.hpp"
#include "statistics/detectable.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

using Rows = std::vector<const MeasurementRow*>;

std::optional<double> median_of(const MeasurementRow& row) {
    const auto& seconds = row.samples.seconds;
    const auto middle = seconds.empty() ? 0 : median(seconds);
    return middle > 0 ? std::optional(middle) : std::nullopt;
}

bool has_time(const MeasurementRow& row) { return row.samples.status == Status::ok && median_of(row); }

PcieLink link_of(const std::vector<Gpu>& gpus, const std::string& uuid) {
    for (const auto& gpu : gpus)
        if (gpu.uuid == uuid && !uuid.empty()) return gpu.pcie;
    return {};
}

// Drops rows that only record that the time budget was spent, unless there are no others. They set a flag unless that
// round or a later one was measured after all.
Rows without_cut_short(std::span<const MeasurementRow* const> rows, Flags& flags) {
    Rows processes;
    for (const auto* row : rows)
        if (!is_cut_for_time(row->samples)) processes.push_back(row);
    for (const auto* row : rows) {
        const auto has_its_round = [&](const MeasurementRow* one) { return one->round >= row->round; };
        const bool is_cut =
            is_cut_for_time(row->samples) && std::none_of(processes.begin(), processes.end(), has_its_round);
        if (is_cut && flags.empty()) flags.emplace_back(budget_word);
    }
    return processes.empty() ? Rows(rows.begin(), rows.end()) : processes;
}

// Of a row that counts processes whose clocks the power limit held at least 5 % below the usual one: between which
// clocks they were measured.
std::string spread_by_power_limit(const Rows& counted) {
    std::vector<const Samples*> samples;
    for (const auto* row : counted) samples.push_back(&row->samples);
    const auto usual = usual_sm_clock(samples);
    const auto is_held = [&](const Samples* one) { return is_clocked_down(*one, usual) && is_power_capped(*one); };
    if (std::ranges::none_of(samples, is_held)) return "";
    std::vector<int> clocks;
    for (const auto* one : samples)
        if (const auto clock = sm_clock_under_load(*one)) clocks.push_back(*clock);
    const auto [lowest, highest] = std::ranges::minmax(clocks);
    return fmt::format("the power limit held the SM clock between {} and {} MHz", lowest, highest);
}

// Returns the valid rows; the others go to `left_out` with the reason.
Rows those_that_count(std::span<const MeasurementRow* const> rows, std::vector<LeftOut>& left_out) {
    Rows timed;
    std::vector<const Samples*> samples;
    for (const auto* row : rows) {
        if (!has_time(*row)) continue;
        timed.push_back(row);
        samples.push_back(&row->samples);
    }
    const auto usual = usual_sm_clock(samples);
    Rows counted;
    for (const auto* row : rows) {
        const bool is_timed = has_time(*row);
        const auto why = is_timed ? why_invalid(row->samples, usual) : row->samples.check;
        if (is_timed && why.empty()) counted.push_back(row);
        else if (row->samples.status == Status::ok)
            left_out.push_back(
                {row->process, Status::invalid, is_timed ? why : "no time was measured", median_of(*row)});
        else left_out.push_back({row->process, row->samples.status, why, median_of(*row)});
    }
    return counted;
}

// Returns the most frequent status of the excluded processes; of equally frequent ones, the worst.
Status commonest(const std::vector<LeftOut>& left_out) {
    constexpr std::array worst_first{Status::crashed, Status::timeout, Status::failed, Status::invalid,
                                     Status::skipped};
    const auto count = [&](Status status) {
        return std::count_if(left_out.begin(), left_out.end(),
                             [&](const LeftOut& one) { return one.status == status; });
    };
    return *std::max_element(worst_first.begin(), worst_first.end(),
                             [&](Status a, Status b) { return count(a) < count(b); });
}

void judge(RowSummary& summary, std::size_t counted) {
    const auto& left_out = summary.left_out;
    if (std::any_of(left_out.begin(), left_out.end(), [](const LeftOut& one) { return one.status == Status::wrong; }))
        summary.status = Status::wrong;
    else if (counted > left_out.size()) summary.status = Status::ok;
    else summary.status = commonest(left_out);
    if (summary.status == Status::ok) return;
    const auto first = std::find_if(left_out.begin(), left_out.end(),
                                    [&](const LeftOut& one) { return one.status == summary.status; });
    summary.because = first->because;
}

// None if some of the processes have none.
std::optional<SingleTimes> tail_of(const Rows& counted) {
    SingleTimes all;
    std::vector<double> p50, p99;
    for (const auto* row : counted) {
        const auto& tail = row->samples.tail;
        if (!tail) return std::nullopt;
        all.of += tail->of;
        all.largest = std::max(all.largest, tail->largest);
        p50.push_back(tail->p50);
        if (tail->p99) p99.push_back(*tail->p99);
    }
    all.p50 = median(p50);
    if (p99.size() == p50.size()) all.p99 = median(p99);
    return all;
}

// None if some of the processes have none.
std::optional<RankTimes> ranks_of(const Rows& counted) {
    RankTimes all;
    std::vector<double> mean, slowest;
    for (const auto* row : counted) {
        const auto& ranks = row->samples.ranks;
        if (!ranks) return std::nullopt;
        all.of = ranks->of;
        mean.push_back(ranks->mean);
        slowest.push_back(ranks->slowest);
    }
    all.mean = median(mean);
    all.slowest = median(slowest);
    return all;
}

void time(RowSummary& summary, const Rows& counted, int family) {
    std::vector<double> medians;
    for (const auto& process : summary.process_medians) medians.push_back(process.seconds);
    for (const auto* row : counted) summary.samples += static_cast<std::int64_t>(row->samples.seconds.size());
    summary.processes = static_cast<int>(medians.size());
    if (medians.empty()) return;
    const double middle = median(medians);
    summary.median_seconds = middle;
    std::vector<double> cycles;
    for (const auto* row : counted)
        if (row->samples.cycles) cycles.push_back(*row->samples.cycles);
    if (!cycles.empty()) summary.cycles = median(cycles);
    summary.tail = tail_of(counted);
    summary.ranks = ranks_of(counted);
    summary.detectable = detectable_change(medians, {.family = std::max(family, 1)});
    const auto interval = median_interval(medians);
    if (!interval) return;
    summary.interval = Range{interval->low, interval->high};
    summary.interval_level = interval->level;
    summary.half_width = interval->relative_half_width(middle);
}

void speed(RowSummary& summary) {
    if (!summary.median_seconds) return;
    const auto rate = [&](std::int64_t count) {
        return count > 0 ? std::optional(static_cast<double>(count) / *summary.median_seconds) : std::nullopt;
    };
    summary.bytes_per_second_one_way = rate(summary.bytes_one_way);
    summary.bytes_per_second_touched = rate(summary.bytes_touched);
    summary.items_per_second = rate(summary.items);
    const auto counted = counted_by(summary.peak, role_of(summary.benchmark), !summary.peer.empty());
    const auto limited =
        counted == Counted::one_way ? summary.bytes_per_second_one_way : summary.bytes_per_second_touched;
    if (limited && summary.peak.bytes_per_second > 0 && !is_partly_cached(summary.peak))
        summary.percent_of_peak = 100 * *limited / summary.peak.bytes_per_second;
}

auto place_of(const MeasurementRow& row) { return std::tuple(row.id, row.device, row.samples.gpu, row.samples.peer); }

// Sorts by GPU because the order of the processes is random.
void sort_by_gpu(std::vector<RowSummary>& rows, const std::vector<Gpu>& gpus) {
    const auto place = [&](const RowSummary& row) {
        return std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.uuid == row.gpu; }) -
               gpus.begin();
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const RowSummary& left, const RowSummary& right) { return place(left) < place(right); });
}

}  // namespace

RowSummary summarise(std::span<const MeasurementRow* const> all, const std::vector<Gpu>& gpus, int family) {
    if (all.empty()) throw std::invalid_argument("cannot summarise an empty list of rows");
    RowSummary summary;
    const auto rows = without_cut_short(all, summary.flags);
    const auto counted = those_that_count(rows, summary.left_out);
    const auto& one = counted.empty() ? *rows.front() : *counted.front();
    summary.benchmark = one.benchmark;
    summary.parameters = one.samples.parameters;
    summary.id = one.id;
    summary.device = one.device;
    summary.gpu = one.samples.gpu;
    summary.peer = one.samples.peer;
    summary.clock = one.samples.clock;
    summary.bytes_one_way = one.samples.bytes_one_way;
    summary.bytes_touched = one.samples.bytes_touched;
    summary.items = one.samples.items;
    summary.peak = one.samples.peak;
    if (one.device == Device::simulated && !summary.peak.source.empty()) summary.peak.source += " (simulated)";
    // Which bytes another tool's number counts, where only these are known.
    if (one.imported && summary.bytes_touched == 0) summary.peak.counted = Counted::one_way;
    summary.imported = one.imported;
    if (!counted.empty()) summary.check = one.samples.check;
    if (!counted.empty()) summary.course = course_of(one.samples);
    for (const auto* row : counted) summary.process_medians.push_back({row->process, *median_of(*row)});
    judge(summary, counted.size());
    if (summary.status != Status::wrong) time(summary, counted, family);
    speed(summary);
    const auto link = link_of(gpus, summary.gpu);
    for (const auto* row : rows) {
        add_flags(summary.flags, flags_of(row->samples, link));
        if (const auto impossible = impossible_rate(*row); impossible && row->samples.status == Status::ok)
            add_flag(summary.flags, "its rate cannot be true: it exceeds " + impossible->limit);
    }
    if (const auto spread = spread_by_power_limit(counted); !spread.empty()) add_flag(summary.flags, spread);
    return summary;
}

std::vector<double> process_medians(std::span<const MeasurementRow* const> rows) {
    std::vector<LeftOut> left_out;
    const auto counted = those_that_count(rows, left_out);
    const bool wrong =
        std::any_of(left_out.begin(), left_out.end(), [](const LeftOut& one) { return one.status == Status::wrong; });
    std::vector<double> medians;
    if (!wrong)
        for (const auto* row : counted) medians.push_back(median(row->samples.seconds));
    return medians;
}

std::vector<RowSummary> summaries(std::span<const MeasurementRow> rows, const std::vector<Gpu>& gpus) {
    std::vector<Rows> groups;
    std::map<decltype(place_of(rows[0])), std::size_t> places;
    for (const auto& row : rows) {
        const auto [found, is_new] = places.try_emplace(place_of(row), groups.size());
        if (is_new) groups.emplace_back();
        groups[found->second].push_back(&row);
    }
    const auto family = std::count_if(groups.begin(), groups.end(), [](const Rows& group) {
        return std::any_of(group.begin(), group.end(), [](const MeasurementRow* row) { return has_time(*row); });
    });
    std::vector<RowSummary> all;
    for (const auto& group : groups) all.push_back(summarise(group, gpus, static_cast<int>(family)));
    sort_by_gpu(all, gpus);
    return all;
}

MeasuredRun measured_run(std::vector<RowSummary> rows) {
    auto fits = path_fits(rows);
    auto taxes = framework_taxes(rows);
    return {std::move(rows), std::move(fits), std::move(taxes)};
}

}  // namespace tocuda
