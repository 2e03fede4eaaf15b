// tocuda, Apache-2.0.
#include "comparison_input/row_cells.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

#include "model/parameter_values.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

int number_of(const GpuPairs& gpus, Side side, const GpuIdentity& gpu) {
    const int before = side == Side::after ? -1 : gpus.number_before(gpu);
    return before >= 0 || side == Side::before ? before : gpus.number_after(gpu);
}

std::string gpu_key(const GpuPairs& gpus, Side side, const GpuIdentity& gpu) {
    if (gpu.uuid.empty()) return "";
    const int number = number_of(gpus, side, gpu);
    return number >= 0 ? std::to_string(number) : gpu.uuid + "\n" + gpu.model;
}

RowKey key_of(const ProcessTime& time, const RowNames& names, const GpuPairs& gpus, Side side) {
    const auto& row = names.name(time.row);
    return {row.benchmark,
            plain(row.parameters),
            row.id,
            row.protocol,
            row.device,
            row.clock,
            gpu_key(gpus, side, names.gpu(time.gpu)),
            gpu_key(gpus, side, names.gpu(time.peer))};
}

auto place_of(const PlacedTime& one) {
    return std::tuple(one.start, one.section, one.time->process, one.time->seconds, one.time->status,
                      one.time->clock_mhz);
}

std::string start_name(const RunLine& run, bool by_driver_load) {
    if (!by_driver_load || !run.boot) return run.session;
    auto name = *run.boot;
    // The version tells drivers apart if their load time is unknown.
    for (const auto* part : {&run.driver_loaded, &run.driver.kernel_module})
        if (*part) name += " " + **part;
    return name;
}

std::optional<double> median_or_none(const std::vector<double>& values) {
    return values.empty() ? std::nullopt : std::optional(median(values));
}

// The rule about the SM clock needs the clocks of all processes of a start.
std::string why_clocked_down(const ProcessTime& time, std::optional<double> usual) {
    if (time.clock_mhz == 0 || time.is_power_capped) return "";
    Samples samples;
    samples.during = Telemetry{.sm_clock_mhz = time.clock_mhz};
    return why_invalid(samples, usual);
}

struct Tally {
    std::map<Status, std::map<std::string, int>> left_out{};
    int counted = 0;

    int of(Status status) const {
        int count = 0;
        if (const auto found = left_out.find(status); found != left_out.end())
            for (const auto& [why, times] : found->second) count += times;
        return count;
    }
    int all() const {
        int count = 0;
        for (const auto& [status, whys] : left_out) count += of(status);
        return count;
    }
};

// As in a row's summary: one wrong result invalidates the row; otherwise more than half of the processes must count.
std::string why_nothing_counts(const Tally& tally) {
    const auto worst = [&] {
        constexpr std::array worst_first{Status::crashed, Status::timeout, Status::failed, Status::invalid,
                                         Status::skipped};
        return *std::max_element(worst_first.begin(), worst_first.end(),
                                 [&](Status a, Status b) { return tally.of(a) < tally.of(b); });
    };
    const bool wrong = tally.of(Status::wrong) > 0;
    if (!wrong && tally.counted > tally.all()) return "";
    const auto status = wrong ? Status::wrong : worst();
    const auto found = tally.left_out.find(status);
    if (found == tally.left_out.end()) return "no process counts";
    const auto& [why, times] = *std::max_element(found->second.begin(), found->second.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
    return std::string(word(status)) + (why.empty() ? "" : ": " + why);
}

void count_one_start(std::span<const PlacedTime> times, const RowNames& names, CountedStarts& counted, Tally& tally,
                     std::vector<double>& clocks, std::vector<double>& medians, const SideStarts& starts) {
    std::vector<double> all_clocks;
    for (const auto& [start, section, time] : times)
        if (time->status == Status::ok && time->clock_mhz > 0) all_clocks.push_back(time->clock_mhz);
    const auto usual = median_or_none(all_clocks);
    const auto place = times.front().start;
    Start start{.name = starts.names.at(place), .place = place, .load = starts.loads.at(place)};
    std::vector<double> own_clocks;
    for (const auto& [number, section, time] : times) {
        const auto why = time->status == Status::ok ? why_clocked_down(*time, usual) : names.text(time->why);
        if (time->status != Status::ok || !why.empty()) {
            ++tally.left_out[time->status == Status::ok ? Status::invalid : time->status][why];
            continue;
        }
        ++tally.counted;
        start.process_medians.push_back(time->seconds);
        if (time->clock_mhz > 0) own_clocks.push_back(time->clock_mhz);
        if (time->flags == no_text) continue;
        std::istringstream lines(names.text(time->flags));
        for (std::string flag; std::getline(lines, flag);) add_flag(counted.flags, flag);
    }
    if (start.process_medians.empty()) return;
    medians.push_back(median(start.process_medians));
    if (const auto clock = median_or_none(own_clocks)) clocks.push_back(*clock);
    counted.starts.push_back(std::move(start));
}

}  // namespace

SideStarts starts_of(std::span<const GatheredSection> sections, bool by_driver_load) {
    SideStarts starts;
    std::map<std::string, std::uint32_t> numbers;
    std::map<std::string, std::uint32_t> loads;
    for (const auto& section : sections) {
        const auto name = start_name(section.run, by_driver_load);
        const auto [found, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(starts.names.size()));
        if (is_new) {
            starts.names.push_back(name);
            starts.loads.push_back(
                loads.try_emplace(start_name(section.run, true), static_cast<std::uint32_t>(loads.size()))
                    .first->second);
        }
        starts.of_section.push_back(found->second);
    }
    return starts;
}

RowCells row_cells(const RowNames& names, std::span<const CellSource> sources, const GpuPairs& gpus,
                   const MachineOf& machine_of) {
    RowCells cells;
    for (const auto& [side, sections, starts] : sources) {
        const auto column = static_cast<std::size_t>(side);
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>, RowCell*> known;
        for (std::uint32_t i = 0; i < sections.size(); ++i) {
            const auto machine = machine_of(side, i);
            for (const auto& time : sections[i].processes) {
                auto*& cell = known[{time.row, time.gpu, time.peer, time.gpu == no_gpu ? machine : ""}];
                if (!cell) {
                    auto key = key_of(time, names, gpus, side);
                    if (time.gpu == no_gpu) key.machine = machine;
                    cell = &cells[key];
                }
                cell->times[column].push_back({starts->of_section[i], i, &time});
            }
        }
    }
    for (auto& [key, cell] : cells)
        for (auto& times : cell.times)
            std::sort(times.begin(), times.end(),
                      [](const PlacedTime& left, const PlacedTime& right) { return place_of(left) < place_of(right); });
    return cells;
}

CountedStarts count_starts(std::span<const PlacedTime> times, const RowNames& names, const SideStarts& starts) {
    CountedStarts counted;
    Tally tally;
    std::vector<double> clocks;
    std::vector<double> medians;
    for (std::size_t begin = 0; begin < times.size();) {
        auto end = begin;
        while (end < times.size() && times[end].start == times[begin].start) ++end;
        count_one_start(times.subspan(begin, end - begin), names, counted, tally, clocks, medians, starts);
        begin = end;
    }
    std::sort(counted.flags.begin(), counted.flags.end());
    counted.seconds = median_or_none(medians);
    counted.clock_mhz = median_or_none(clocks);
    counted.skipped = tally.counted == 0 && tally.of(Status::skipped) == tally.all();
    counted.invalid = why_nothing_counts(tally);
    if (!counted.invalid.empty()) counted.starts.clear();
    return counted;
}

}  // namespace tocuda
