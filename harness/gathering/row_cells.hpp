// tocuda, Apache-2.0.
// Groups the processes of both sides and of the history by row: those of one row were measured in the same way on GPUs
// that count as the same. Pure, and independent of the order of files.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gathering/counted_starts.hpp"
#include "gathering/gpu_pairs.hpp"

namespace tocuda {

enum class Side { before, after, history };

// The key that rows are paired by. A GPU is represented by the number of its pair or, without a counterpart, by itself.
struct RowKey {
    std::string benchmark{};
    std::string parameters{};
    std::string id{};
    int protocol = 0;
    Device device = Device::none;
    Clock clock = Clock::device;
    std::string gpu{};
    std::string peer{};

    auto operator<=>(const RowKey&) const = default;
};

struct RowCell {
    std::array<std::vector<PlacedTime>, 3> times{};  // by side, in the order of starts, sections and processes

    const std::vector<PlacedTime>& of(Side side) const { return times[static_cast<std::size_t>(side)]; }
};

using RowCells = std::map<RowKey, RowCell>;

// The independent starts of one side: for each section the number of its start, in order of time.
struct SideStarts {
    std::vector<std::uint32_t> of_section{};
    std::vector<std::string> names{};
};

// A start is a session or, by driver load, all sessions of one boot and driver load.
SideStarts starts_of(std::span<const GatheredSection> sections, bool by_driver_load);

struct CellSource {
    Side side = Side::before;
    std::span<const GatheredSection> sections{};
    const SideStarts* starts = nullptr;
};

// In the history, a GPU without a pair keeps its own name.
RowCells row_cells(const RowNames& names, std::span<const CellSource> sources, const GpuPairs& gpus);

}  // namespace tocuda
