// tocuda, Apache-2.0.
#include "gathering/row_cells.hpp"

#include <algorithm>
#include <tuple>

#include "model/parameter_text.hpp"

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

}  // namespace

SideStarts starts_of(std::span<const GatheredSection> sections, bool by_driver_load) {
    SideStarts starts;
    std::map<std::string, std::uint32_t> numbers;
    for (const auto& section : sections) {
        const auto name = start_name(section.run, by_driver_load);
        const auto [found, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(starts.names.size()));
        if (is_new) starts.names.push_back(name);
        starts.of_section.push_back(found->second);
    }
    return starts;
}

RowCells row_cells(const RowNames& names, std::span<const CellSource> sources, const GpuPairs& gpus) {
    RowCells cells;
    for (const auto& [side, sections, starts] : sources) {
        const auto column = static_cast<std::size_t>(side);
        std::map<std::array<std::uint32_t, 3>, RowCell*> known;
        for (std::size_t i = 0; i < sections.size(); ++i)
            for (const auto& time : sections[i].processes) {
                auto*& cell = known[{time.row, time.gpu, time.peer}];
                if (!cell) cell = &cells[key_of(time, names, gpus, side)];
                cell->times[column].push_back({starts->of_section[i], static_cast<std::uint32_t>(i), &time});
            }
    }
    for (auto& [key, cell] : cells)
        for (auto& times : cell.times)
            std::sort(times.begin(), times.end(),
                      [](const PlacedTime& left, const PlacedTime& right) { return place_of(left) < place_of(right); });
    return cells;
}

}  // namespace tocuda
